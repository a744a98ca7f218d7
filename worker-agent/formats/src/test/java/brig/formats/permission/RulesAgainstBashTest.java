package brig.formats.permission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.protocol.spawn.PermissionMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random lines that rules allow, judged by a stricter model and run by bash itself. */
class RulesAgainstBashTest {
    private static final int LINES = 40_000;
    private static final int RUN_MAX = 400;

    /** In bash every other program is reported, and so are the builtins that run or read something. */
    private static final String BASH = """
            shopt -s expand_aliases
            ran() { printf '%s\\n' "$1" >&3; }
            git() { ran git; return $((RANDOM % 2)); }
            ls() { ran ls; return $((RANDOM % 2)); }
            command_not_found_handle() { ran "OTHER $1"; }
            for name in exec . source alias trap cd echo rm evil; do
                builtin eval "$name() { ran 'OTHER $name'; }"
            done
            bash() { if [ $# = 2 ] && { [ "$1" = -c ] || [ "$1" = -lc ]; }; then builtin eval "$2"; else ran OTHER; fi; }
            sh() { bash "$@"; }
            x=evil
            line() {
                ran "LINE $1"
                ( builtin eval "$2"; wait )
            }
            """;

    private static final List<String> WORDS = List.of(
            "git",
            "git",
            "git",
            "git status",
            "ls",
            "ls -l",
            "rm",
            "evil",
            "status",
            "-n",
            "a",
            "x",
            "bash -c ",
            "sh -lc ",
            "if ",
            "then ",
            "fi",
            "for ",
            "do ",
            "done",
            "eval ",
            "exec ",
            ". ",
            "source ",
            "command ",
            "time ",
            "alias ",
            "function ",
            "in ",
            "A=b ",
            "A+=b ",
            "=",
            "2");

    private static final List<String> QUOTES = List.of(
            "'", "'", "\"", "\"", "\\", "\\", "' '", "\"a b\"", "'; evil'", "\"& evil\"", "\\;", "\\ ", "\\\n", "#");
    private static final List<String> OPERATORS =
            List.of(";", "&&", "||", "|", "&", "\n", " ; ", " && ", " | ", " #", "2>&1", " 2>&1 ", ";;", "|&", "&>");
    private static final List<String> EXPANSIONS = List.of(
            "$(",
            ")",
            "`",
            "${",
            "}",
            "$x",
            "$",
            "<(",
            ">",
            ">>",
            "<",
            "<<",
            "<<<",
            "(",
            "{",
            "{a,evil}",
            "!",
            "*",
            "?",
            "[",
            "]",
            "~",
            "$'",
            "$\"",
            "^",
            "\t",
            "\r",
            "\u00a0",
            "\u0000",
            "\u2028",
            "@",
            "%",
            ":",
            "é");

    /** A quoted text without what is special in it, an escaped character, or a comment. */
    private static final Pattern QUOTED =
            Pattern.compile("'[^'\n]*'|\"(?:[^\"$`!\\\\\n]|\\\\[^!])*\"|\\\\\n|\\\\.#*|(?<![^\\s;&|])#[^\n]*");

    private static final Pattern PLAIN_COMMAND = Pattern.compile("(?:git|ls)(?:[ \t]+[A-Za-z0-9._/:,@%+=^~é#-]+)*");

    @TempDir
    Path folder;

    private static String line(Random random) {
        StringBuilder line = new StringBuilder(random.nextInt(8) < 6 ? random.nextBoolean() ? "git " : "ls " : "");
        int parts = random.nextInt(10);
        for (int i = 0; i < parts; i++) {
            int kind = random.nextInt(10);
            List<String> choice = kind < 5 ? WORDS : kind < 7 ? QUOTES : kind < 9 ? OPERATORS : EXPANSIONS;
            line.append(choice.get(random.nextInt(choice.size())));
            if (random.nextInt(5) < 3) {
                line.append(' ');
            }
        }
        return line.toString();
    }

    /** Quotes are removed first, then only plain words may be left, in commands of the allowed names. */
    private static boolean isAllowedByModel(String line) {
        String plain = QUOTED.matcher(line).replaceAll(quoted -> harmless(quoted.group()));
        String[] commands =
                plain.replaceAll("(?<![^\\s;&|])2>&1(?![^\\s;&|])", "").split("&&|\\|\\||[;&|\n]");
        return Stream.of(commands)
                .map(String::strip)
                .allMatch(command ->
                        command.isEmpty() || PLAIN_COMMAND.matcher(command).matches());
    }

    /** It knows no scripts, and no comments of lines that go on. Bash alone judges those. */
    private static boolean isBeyondModel(String line) {
        return line.contains("sh ") || (line.contains("\\\n") && line.contains("#"));
    }

    private static String harmless(String quoted) {
        boolean isNothing = quoted.startsWith("#") || quoted.equals("\\\n");
        int end = quoted.length() - (quoted.startsWith("\\") ? 0 : 1);
        return isNothing ? "" : quoted.substring(1, end).replaceAll("[^A-Za-z0-9]", "_");
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    /** What the lines ran, after the number of each. */
    private String run(List<String> lines) throws Exception {
        StringBuilder script = new StringBuilder(BASH);
        for (int i = 0; i < lines.size(); i++) {
            script.append("line ")
                    .append(i)
                    .append(' ')
                    .append(quoted(lines.get(i)))
                    .append('\n');
        }
        Path file = Files.writeString(folder.resolve("script"), script);
        return bash("exec /bin/bash --norc --noprofile " + file + " 3>" + folder.resolve("ran"), "ran");
    }

    /** What bash says of the lines without running any. */
    private String parse(List<String> lines) throws Exception {
        StringBuilder script = new StringBuilder();
        for (String line : lines) {
            script.append("f() {\n").append(line).append("\n}\n");
        }
        Path file = Files.writeString(folder.resolve("parsed"), script);
        bash("/bin/bash -n " + file, "errors");
        return Files.readString(folder.resolve("errors"));
    }

    private String bash(String command, String result) throws Exception {
        Path empty = Files.createDirectories(folder.resolve("empty"));
        Path errors = folder.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder("/bin/bash", "-c", command)
                .directory(empty.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(errors.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", "/nowhere");
        builder.environment().put("LC_ALL", "C.UTF-8");
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(30, TimeUnit.SECONDS), "bash does not end");
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(folder.resolve(result));
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("empty"))) {
            return files.map(Path::toString).toList();
        }
    }

    @Test
    void shouldAllowNoLineThatRunsAnythingElse() throws Exception {
        long seed = Long.getLong("brig.seed", System.nanoTime());
        Random random = new Random(seed);
        Permissions permissions = new Permissions(
                PermissionMode.ASK,
                Stream.of("git *", "git", "ls *", "ls")
                        .map(match -> new Rule("Bash", match, PermissionMode.ALLOW))
                        .toList());
        List<String> allowed = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            String line = line(random);
            if (permissions.decide("Bash", JsonObject.EMPTY.with("command", line)) == PermissionMode.ALLOW) {
                allowed.add(line);
                assertTrue(
                        isBeyondModel(line) || isAllowedByModel(line),
                        () -> "seed " + seed + ", stricter: " + quoted(line));
            }
        }
        System.out.println("rules against bash: seed " + seed + ", generated " + LINES + ", allowed " + allowed.size()
                + ", asked " + (LINES - allowed.size()));
        assertTrue(allowed.size() > LINES / 50, "seed " + seed + ": too few are allowed to prove anything");
        List<String> tried = allowed.stream().distinct().limit(RUN_MAX).toList();
        assertEquals("", parse(tried), "seed " + seed);
        String ran = run(tried);
        String errors = Files.readString(folder.resolve("errors"));
        List<String> others =
                ran.lines().filter(event -> !event.matches("git|ls|LINE \\d+")).toList();
        assertEquals(List.of(), others, () -> "seed " + seed + ": " + ran + errors);
        assertTrue(ran.contains("LINE " + (tried.size() - 1)), "seed " + seed + ": not all lines ran");
        assertEquals("", errors, "seed " + seed);
        assertEquals(List.of(), files(), "seed " + seed);
    }

    @Test
    void shouldSeeInBashWhateverElseALineRuns() throws Exception {
        List<String> lines = List.of(
                "git; rm x",
                "git $(evil)",
                "evil",
                "git\nother",
                "/bin/nothing",
                "exec evil",
                "eval evil",
                "git `$x`",
                ". a");
        for (String line : lines) {
            assertTrue(run(List.of(line)).contains("OTHER") || line.startsWith("/"), line);
        }
        run(List.of("git > file"));
        assertEquals(1, files().size());
        assertNotEquals("", parse(List.of("git 'a")));
    }
}
