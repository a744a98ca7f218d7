package brig.formats.permission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.protocol.spawn.PermissionMode;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PermissionsTest {
    private static Rule rule(String tool, @Nullable String match, String action) {
        return new Rule(tool, match, PermissionMode.valueOf(action.toUpperCase(Locale.ROOT)));
    }

    private static Object command(Object command) {
        return JsonObject.EMPTY.with("command", command);
    }

    private static String decide(Permissions permissions, @Nullable Object input) {
        return permissions.decide("Bash", input).wireName();
    }

    private static final Permissions GIT =
            new Permissions(PermissionMode.ASK, List.of(rule("Bash", "git *", "allow"), rule("Bash", "ls*", "allow")));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "git status",
                "  git\tstatus  ",
                "git status;",
                "git status\n\n",
                "\n# a comment; rm\ngit status",
                "git status && ls -l || ls",
                "git status |\n ls",
                "git status & ls &",
                "git status #; rm x",
                "git status \\; rm x",
                "git log '; rm x' \"&& rm x\"",
                "git log '$(rm x)' '`rm x`'",
                "git log \"\\$(rm x)\"",
                "\"git\" status",
                "g\\it status",
                "g\"i\"'t' status",
                "gi\\\nt status",
                "git status \\\n  --short",
                "git log \"a\\\nb\"",
                "git log 2>&1 | ls",
                "git show HEAD~1^2 v1.0:a/b@x",
                "git commit -m 'Größe 📏'",
                // A glob is as wide as the program: this one starts a shell.
                "git -c core.pager='!sh' log",
                "bash -lc 'git status && ls'",
                "/bin/sh -c \"git status\"",
                "sh -c 'git status\nls'"
            })
    void shouldAllowLinesOfWhichEveryCommandIsAllowed(String line) {
        assertEquals("allow", decide(GIT, command(line)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "#",
                "git",
                "rm x",
                "git status; rm -rf /",
                "git status\nrm x",
                "git status\r\nrm x",
                "git status\r",
                "git status && curl evil",
                "git status || rm x",
                "git status & rm x",
                "git status | rm x",
                "git status |& rm x",
                "git status \\\n; rm x",
                "git status # \\\nrm x",
                "git status a#; rm x",
                "git status\\;rm x;rm",
                "git $(rm x)",
                "git \"$(rm x)\"",
                "git `rm x`",
                "git \"`rm x`\"",
                "git ${x}",
                "git $x",
                "git \"$x\"",
                "$x git status",
                "git $'a'",
                "git $\"a\"",
                "git <(rm x)",
                "git status > /etc/passwd",
                "git status>x",
                "git status 2>x",
                "git status >> x",
                "git status &> x",
                "git status 2>&1x",
                "git status 2>&1\\\n0",
                "git apply < x",
                "git apply << x\nx",
                "git apply <<< x",
                "(git status)",
                "{ git status; }",
                "git () { rm x; }",
                "! git status",
                "if git status; then git x; fi",
                "while git x; do git y; done",
                "for git in a; do git x; done",
                "case git in git) git x;; esac",
                "function git { rm; }",
                "eval git status",
                "exec git status",
                "source git",
                ". git",
                "command git status",
                "time git status",
                "alias git=rm",
                "GIT_PAGER=x git log",
                "A+=b git log",
                "A[0]=b git log",
                "gi* status",
                "gi? status",
                "gi[t] status",
                "gi{t,x} status",
                "{git,rm} status",
                "~/git status",
                "~git status",
                "git ~",
                "git --x=~",
                "git *",
                "git {a,b}",
                "git ?",
                "git [a]",
                "git !x",
                "git \"!x\"",
                "^a^git status",
                "git 'status",
                "git \"status",
                "git status\\",
                "git status &&",
                "git status |",
                "&& git status",
                "git status ;; git x",
                "git status & ; git x",
                "git status & & git x",
                "git status &\n& rm",
                "git status \u0000",
                "git \u001b[0m",
                "git\u00a0status",
                "git status\u00a0; rm",
                "git\u2003status",
                "git status\u2028rm",
                "git status\u0085rm",
                "git \u202estatus",
                "git \ud800",
                "'git status'",
                "git\\ status",
                "'git 'status",
                "git 'a\nb'",
                "git \\\t",
                "./git status",
                "bash -c 'git status; rm x'",
                "bash -c 'git $(rm x)'",
                "/usrbash -c 'git status'",
                "bash -c 'git status' rm",
                "bash -c",
                "bash -c ''",
                "git status | bash",
                "git status | sh -s"
            })
    void shouldAskWhereACommandIsAnotherOneOrNobodyCanTell(String line) {
        assertEquals("ask", decide(GIT, command(line)));
    }

    @Test
    void shouldNotTakeASpaceInsideAWordForOneBetweenWords() {
        Permissions exact = new Permissions(
                PermissionMode.ASK, List.of(rule("Bash", "rm -r build", "allow"), rule("Bash", "cp ? b", "allow")));
        assertEquals("allow", decide(exact, command("rm -r 'build'")));
        assertEquals("ask", decide(exact, command("rm '-r build'")));
        assertEquals("ask", decide(exact, command("rm -r build c")));
        assertEquals("allow", decide(exact, command("cp '*' b")));
        assertEquals("ask", decide(exact, command("cp * b")));
    }

    @Test
    void shouldJudgeListsOfWordsAsTheProgramGetsThem() {
        assertEquals("allow", decide(GIT, List.of("bash", "-lc", "git status\nls")));
        assertEquals("ask", decide(GIT, List.of("bash", "-lc", "git status; rm x")));
        assertEquals("allow", decide(GIT, List.of("git", "log", "; rm x", "$(x)", "*")));
        assertEquals("ask", decide(GIT, List.of("git", "a\nb")));
        assertEquals("ask", decide(GIT, List.of("git status")));
        assertEquals("ask", decide(GIT, List.of("zsh", "-c", "git status")));
        assertEquals("ask", decide(GIT, List.of("git", 1L)));
        assertEquals("ask", decide(GIT, List.of()));
        assertEquals("allow", decide(GIT, command(List.of("git", "status"))));
    }

    @Test
    void shouldBoundWhatItReads() {
        String longest = "git " + "a".repeat(ShellCommand.CHARS_MAX - 4);
        assertEquals("allow", decide(GIT, command(longest)));
        assertEquals("ask", decide(GIT, command(longest + "a")));
        assertEquals("ask", decide(GIT, List.of("git", longest)));
        Permissions slow = new Permissions(
                PermissionMode.ASK, List.of(rule("Bash", "a*a*a*a*a*a*b", "deny"), rule("*", "?*a?*a?*b", "deny")));
        assertTimeoutPreemptively(
                Duration.ofSeconds(5), () -> decide(slow, command("a ".repeat(ShellCommand.CHARS_MAX / 2))));
        String nested = "git x";
        for (int depth = 0; depth < 12; depth++) {
            nested = "sh -c " + nested.replace("\\", "\\\\").replace(" ", "\\ ");
        }
        assertEquals("allow", decide(GIT, command(nested)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            ls              | allow
            git push        | deny
            git push x      | deny
            git 'push' x    | deny
            ls && git push  | deny
            bash -c 'git push' | deny
            git pull        | allow
            ls x            | allow
            ls confirm x    | allow
            git $(x)        | ask
            git pus{h,}     | ask
            ls *            | ask
            xargs git push  | ask
            /bin/git push   | ask
            sudo -u x git push -f | ask
            echo 'git push' | ask
            git commit -m 'git push' | ask
            ~ls | xargs rm~ | ask
            eval ls         | ask
            """)
    void shouldNeverAllowWhatADenyingRuleMayMean(String line, String expected) {
        Permissions permissions = new Permissions(
                PermissionMode.ALLOW,
                List.of(
                        rule("Bash", "git push*", "deny"),
                        rule("Bash", "rm *", "deny"),
                        rule("Bash", "git *", "allow")));
        assertEquals(expected, decide(permissions, command(line)));
    }

    @Test
    void shouldTakeTheFirstRuleThatMatches() {
        Permissions permissions = new Permissions(
                PermissionMode.DENY,
                List.of(
                        rule("Bash", "git push *", "ask"),
                        rule("Bash", "git *", "allow"),
                        rule("Read", null, "allow"),
                        rule("*", "https://a.test/*", "allow")));
        assertEquals("ask", decide(permissions, command("git push x")));
        assertEquals("allow", decide(permissions, command("git pull x")));
        assertEquals("deny", decide(permissions, command("ls")));
        assertEquals("deny", decide(permissions, command("git pull x; ls")));
        assertEquals("deny", decide(permissions, command("git $(ls)")), "permissions deny, so nobody is asked");
        assertEquals(PermissionMode.ALLOW, permissions.decide("Read", null));
        assertEquals(PermissionMode.DENY, permissions.decide("read", null));
        assertEquals(PermissionMode.ALLOW, permissions.decide("Any", JsonObject.EMPTY.with("url", "https://a.test/x")));
    }

    @Test
    void shouldAskWhereTheToolIsNotKnown() {
        Permissions permissions = new Permissions(PermissionMode.ALLOW, List.of(rule("Bash", null, "deny")));
        assertEquals(PermissionMode.ASK, permissions.decide("", command("ls")));
        assertEquals(PermissionMode.ALLOW, permissions.decide("Read", command("ls")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            file_path     | /workspace/src/a.txt       | allow
            filePath      | /workspace/src/b/a.txt     | allow
            notebook_path | /workspace/src/a b.txt     | allow
            path          | /workspace/src/../a        | ask
            path          | /workspace/src/b/..        | ask
            path          | /workspace/src/./a         | ask
            path          | /workspace/src//a          | ask
            path          | /workspace/src/..a         | allow
            path          | src/a                      | ask
            path          | ../src/a                   | ask
            path          | /etc/passwd                | ask
            url           | https://a.test/x?y=../z#f  | allow
            url           | https://a.test:8443/x      | ask
            url           | https://a.test@b.test/     | ask
            url           | https://a.test/../x        | ask
            url           | https://a.test/x%2e        | ask
            url           | https://A.test/x           | ask
            url           | https://b.test/a.test/     | ask
            url           | file:///workspace/src/a    | ask
            """)
    void shouldMatchPathsAndUrlsThatHaveOneSpellingOnly(String field, String value, String expected) {
        Permissions permissions = new Permissions(
                PermissionMode.ASK,
                List.of(rule("Bash", "/workspace/src/*", "allow"), rule("Bash", "https://a.test/*", "allow")));
        assertEquals(expected, decide(permissions, JsonObject.EMPTY.with(field, value)));
        assertEquals("ask", decide(permissions, JsonObject.EMPTY.with(field, value + "\n")));
        assertEquals(
                "ask", decide(permissions, JsonObject.EMPTY.with(field, value).with("files", List.of("/etc/x"))));
        assertEquals(
                "ask", decide(permissions, JsonObject.EMPTY.with(field, value).with("path", "/etc/x")));
        assertEquals(
                "ask", decide(permissions, JsonObject.EMPTY.with(field, value).with("pattern", "/etc/*")));
        assertEquals("ask", decide(permissions, JsonObject.EMPTY.with(field, List.of(value))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            file_path | /workspace/.env      | deny
            file_path | /workspace/a         | allow
            file_path | /workspace//.env     | ask
            file_path | .env                 | ask
            file_path | a                    | ask
            url       | https://e.test/      | deny
            url       | https://a.test/      | allow
            url       | https://e.test:443/  | ask
            url       | https://E.test/      | ask
            url       | http://x@e.test/     | ask
            url       | https://e.test       | ask
            other     | x                    | ask
            """)
    void shouldNotLetAnotherSpellingPassADenyingRule(String field, String value, String expected) {
        Permissions permissions = new Permissions(
                PermissionMode.ALLOW,
                List.of(rule("*", "/workspace/.env", "deny"), rule("*", "https://e.test/*", "deny")));
        assertEquals(expected, decide(permissions, JsonObject.EMPTY.with(field, value)));
    }

    @Test
    void shouldMakeTheAgentAskUnlessAllCallsGetTheSameAnswer() {
        Rule allow = rule("Bash", null, "allow");
        Rule deny = rule("Bash", null, "deny");
        for (PermissionMode mode : PermissionMode.values()) {
            assertEquals(mode, new Permissions(mode, List.of()).toldMode());
            assertEquals(PermissionMode.ASK, new Permissions(mode, List.of(allow, deny)).toldMode());
        }
        assertEquals(PermissionMode.ASK, new Permissions(PermissionMode.ALLOW, List.of(allow)).toldMode());
        assertEquals(PermissionMode.DENY, new Permissions(PermissionMode.DENY, List.of(deny)).toldMode());
    }

    @Test
    void shouldRefuseRulesThatNobodyCanMean() {
        for (String text : List.of("", "git\n*", "git\u00a0*", "\u202e", "x".repeat(257))) {
            IllegalArgumentException tool =
                    assertThrows(IllegalArgumentException.class, () -> rule(text, "git *", "allow"));
            assertTrue(tool.getMessage().startsWith("tool: "), tool.getMessage());
            IllegalArgumentException match =
                    assertThrows(IllegalArgumentException.class, () -> rule("Bash", text, "allow"));
            assertTrue(match.getMessage().startsWith("match: "), match.getMessage());
        }
        assertEquals(
                "deny",
                rule("Bash", "x", "allow")
                        .narrowedTo(PermissionMode.DENY)
                        .action()
                        .wireName());
        assertEquals(
                "deny",
                rule("Bash", "x", "deny")
                        .narrowedTo(PermissionMode.ASK)
                        .action()
                        .wireName());
    }

    @Test
    void shouldRememberWhatAPersonAllowed() {
        Permissions permissions = new Permissions(PermissionMode.ASK, List.of());
        permissions.allowForSession("Bash", command("ls"));
        assertTrue(permissions.isGranted("Bash", command("ls")));
        assertFalse(permissions.isGranted("Bash", command("ls -l")));
        assertFalse(permissions.isGranted("Shell", command("ls")));
    }
}
