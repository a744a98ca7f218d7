package brig.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who may import whom in the gateway, and how large a file may be. */
class ArchitectureTest {
    private static final Path SOURCES = Files.exists(Path.of("src/main/java/brig/gateway"))
            ? Path.of("src/main/java/brig/gateway")
            : Path.of("gateway/src/main/java/brig/gateway");

    /** A package, and those of the gateway that it may import. What is not listed here must not exist. */
    private static final Map<String, Set<String>> MAY_IMPORT = Map.ofEntries(
            Map.entry("cli", Set.of("acp", "app", "config", "telemetry", "terminal")),
            Map.entry("terminal", Set.of()),
            Map.entry("acp", Set.of()),
            Map.entry(
                    "app",
                    Set.of(
                            "api",
                            "listener",
                            "connection",
                            "session",
                            "retention",
                            "spawn",
                            "worker",
                            "stream",
                            "store",
                            "limits",
                            "config",
                            "telemetry",
                            "time")),
            Map.entry(
                    "api",
                    Set.of(
                            "openai",
                            "listener",
                            "connection",
                            "session",
                            "stream",
                            "spawn",
                            "worker",
                            "limits",
                            "config",
                            "time")),
            Map.entry(
                    "listener",
                    Set.of("connection", "session", "stream", "spawn", "limits", "config", "telemetry", "time")),
            Map.entry("connection", Set.of("session", "stream", "telemetry", "time")),
            Map.entry("session", Set.of("spawn", "worker", "stream", "limits", "time")),
            Map.entry("spawn", Set.of("worker", "stream", "tree", "limits", "store", "telemetry", "time")),
            Map.entry("retention", Set.of("spawn", "store", "telemetry", "time")),
            Map.entry("tree", Set.of("stream")),
            Map.entry("worker", Set.of("stream", "limits", "time")),
            Map.entry("store", Set.of("stream", "telemetry")),
            Map.entry("stream", Set.of("limits", "telemetry", "time")),
            Map.entry("limits", Set.of("time")),
            Map.entry("openai", Set.of("stream", "telemetry", "time")),
            Map.entry("telemetry", Set.of("time")),
            Map.entry("config", Set.of()),
            Map.entry("time", Set.of()));

    /** A library, and the packages that may use it: where it is absent, tests need no event loop and no socket. */
    private static final Map<String, Set<String>> LIBRARIES = Map.of(
            "io.vertx",
            Set.of("app", "api", "openai", "listener", "connection", "worker", "time"),
            "io.netty",
            Set.of("api", "openai", "listener", "connection", "stream", "store", "tree", "worker"),
            "java.sql",
            Set.of("store"),
            "picocli",
            Set.of("cli"),
            "io.micrometer",
            Set.of("telemetry"),
            "io.prometheus",
            Set.of("telemetry"),
            "ch.qos.logback",
            Set.of("telemetry"),
            "brig.workeragent",
            Set.of("cli"));

    private static final Pattern NAME = Pattern.compile("\\bbrig\\.gateway\\.([a-z]+)\\b");
    private static final int LINES_MAX = 600;
    /** What leads to standard output or to the terminal itself past what makes hostile text harmless. */
    private static final Pattern OTHER_WAY_OUT =
            Pattern.compile("\\bSystem\\s*\\.\\s*(out|err|console|setOut|setErr)\\b|\\bFileDescriptor\\b"
                    + "|\\bPrintStream\\b|\\bPrintWriter\\b|\\bConsole\\b|\\bprintStackTrace\\b|\\binheritIO\\b|/dev/(tty|std|fd|pts)|\\bfd/[12]\\b"
                    + "|\\bIO\\s*\\.\\s*print|\\\\u001[bB]|\\\\033|\\bimport static java\\.lang\\.");

    /** A refusal that ends in an exception itself, and so in the name of a class; Reason has the words. */
    private static final Pattern CLASS_NAME_FOR_PEOPLE =
            Pattern.compile("new BrigException\\([^;]*?\\+ (?:e|failure|exception)\\s*\\)");

    private static Map<Path, String> sources() {
        return sources(SOURCES);
    }

    private static Map<Path, String> sources(Path of) {
        try (Stream<Path> files = Files.walk(of)) {
            Map<Path, String> sources = new TreeMap<>();
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                sources.put(file, Files.readString(file));
            }
            assertTrue(sources.size() > 50, "the sources were found");
            return sources;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String packageOf(Path file) {
        return SOURCES.relativize(file).getName(0).toString();
    }

    /** The code of a file, without its comments, whose links bind nobody. */
    private static String code(String source) {
        return source.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("(?m)//.*$", "");
    }

    /** What each package uses of the others, imported or named in full. */
    private static Map<String, Set<String>> used() {
        Map<String, Set<String>> used = new TreeMap<>();
        sources().forEach((file, source) -> {
            Set<String> others = used.computeIfAbsent(packageOf(file), name -> new TreeSet<>());
            Matcher name = NAME.matcher(code(source));
            while (name.find()) {
                others.add(name.group(1));
            }
        });
        used.forEach((name, others) -> others.remove(name));
        return used;
    }

    @Test
    void shouldImportOnlyWhatTheDesignAllows() {
        List<String> wrong = new ArrayList<>();
        used().forEach((name, others) -> {
            if (!MAY_IMPORT.containsKey(name)) {
                wrong.add(name + " is a package that the design does not know");
            }
            others.stream()
                    .filter(other -> !MAY_IMPORT.getOrDefault(name, Set.of()).contains(other))
                    .forEach(other -> wrong.add(name + " -> " + other));
        });
        assertEquals(List.of(), wrong);
    }

    @Test
    void shouldAllowNoCycle() {
        // A package with nothing left to import goes; if the rule has no cycle, in the end all are gone.
        Map<String, Set<String>> left = new TreeMap<>();
        MAY_IMPORT.forEach((name, others) -> left.put(name, new TreeSet<>(others)));
        while (left.values().removeIf(Set::isEmpty)) {
            left.values().forEach(others -> others.retainAll(left.keySet()));
        }
        assertEquals(Map.of(), left);
    }

    @Test
    void shouldUseLibrariesOnlyWhereTheyBelong() {
        List<String> wrong = new ArrayList<>();
        sources()
                .forEach((file, source) -> LIBRARIES.forEach((library, packages) -> {
                    if (Pattern.compile("\\b" + Pattern.quote(library) + "\\.")
                                    .matcher(code(source))
                                    .find()
                            && !packages.contains(packageOf(file))) {
                        wrong.add(SOURCES.relativize(file) + " uses " + library);
                    }
                }));
        assertEquals(List.of(), wrong);
    }

    /** What an agent wrote would reach a person's terminal as it is, if one command printed by itself. */
    @Test
    void shouldPrintThroughTheTerminalOnly() {
        Set<String> mayPrint = Set.of("terminal/Terminal.java");
        Set<String> mayCommand = Set.of(
                "terminal/Line.java", "terminal/ContentFilter.java", "terminal/Picture.java", "terminal/Spinner.java");
        List<String> wrong = new ArrayList<>();
        sources().forEach((file, source) -> {
            String name = SOURCES.relativize(file).toString();
            Matcher out = OTHER_WAY_OUT.matcher(code(source));
            while (out.find()) {
                boolean sequence = out.group().startsWith("\\");
                if (!(sequence ? mayCommand : mayPrint).contains(name)) {
                    wrong.add(name + " has " + out.group());
                }
            }
        });
        assertEquals(List.of(), wrong);
    }

    @Test
    void shouldSayWhyInWordsAndNotInNamesOfClasses() {
        List<String> wrong = new ArrayList<>();
        for (Path module : List.of(SOURCES, Path.of("../worker-agent/src/main/java/brig/workeragent"))) {
            sources(module)
                    .forEach((file, source) -> CLASS_NAME_FOR_PEOPLE
                            .matcher(code(source))
                            .results()
                            .forEach(found -> wrong.add(module.relativize(file) + ": " + found.group())));
        }
        assertEquals(List.of(), wrong);
    }

    @Test
    void shouldKeepFilesShort() {
        sources().forEach((file, source) -> assertTrue(source.lines().count() <= LINES_MAX, file::toString));
    }
}
