package brig.workeragent.tunnel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPrefixTest {
    private static final String CLAUDE =
            "shopt -u extglob 2>/dev/null || true && eval %s < /dev/null && pwd -P >| /tmp/claude-7d05-cwd";

    private static HostPrefix of(String... arguments) {
        return HostPrefix.of(List.of(arguments));
    }

    @Test
    void shouldTakeTheFirstWord() {
        assertEquals(
                " make test", of("bash", "-c", "build2: make test").arguments().get(2));
        assertEquals(
                " \n\t ls; build1: x",
                of("bash", "-c", " \n\tb: ls; build1: x").arguments().get(2));
        assertEquals("", of("bash", "-c", "build2:").arguments().get(2));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo a: b",
                "echo 'build2: x'",
                ": > file",
                ":",
                "C: x",
                "build2:make",
                "build2 : make",
                "http://build2: x",
                "'build2: x'",
                "-b: x",
                "_b: x",
                "b\u00e4: x",
                "b\u0000: x",
                "abcdefghijklmnopqrstuvwxyz0123456: x",
                "X=1 build2: x",
                "(build2: x)",
                "eval 'build2: x'",
                ""
            })
    void shouldLeaveOrdinaryCommandsAlone(String command) {
        assertNull(of("bash", "-c", command), command);
    }

    @Test
    void shouldFindTheCommandAmongTheArguments() {
        for (List<String> options : List.of(
                List.of("-lc"),
                List.of("-c", "-l"),
                List.of("-l", "-c"),
                List.of("--norc", "-c"),
                List.of("-o", "pipefail", "-c"),
                List.of("--rcfile", "/x", "-ec"),
                List.of("--init-file", "/x", "-c"),
                List.of("-c", "+O", "extglob"),
                List.of("-c", "--"))) {
            List<String> arguments = new ArrayList<>(List.of("bash"));
            arguments.addAll(options);
            arguments.addAll(List.of("b: ls $1", "b: name", "c: one"));
            HostPrefix prefix = HostPrefix.of(arguments);
            assertEquals("b", prefix.host(), arguments::toString);
            arguments.set(options.size() + 1, " ls $1");
            assertEquals(arguments, prefix.arguments());
        }
        assertNull(of("bash", "b: ls"));
        assertNull(of("bash"));
        assertNull(of("bash", "-c"));
        assertNull(of("bash", "-l", "script", "-c", "b: ls"));
        assertNull(of("bash", "--comment", "b: ls"));
        assertNull(of("bash", "+c", "b: ls"));
        assertNull(of("bash", "-c", "--", "-o"));
    }

    @Test
    void shouldFindWhatClaudeCodeEvaluates() {
        HostPrefix prefix = of("bash", "-c", "-l", CLAUDE.formatted("'build2: make test'"));
        assertEquals("build2", prefix.host());
        assertEquals(CLAUDE.formatted("' make test'"), prefix.arguments().get(3));
        assertEquals(
                "b", of("bash", "-c", "-l", CLAUDE.formatted("\"b: echo 'x'\"")).host());
        assertEquals(
                "b",
                of("bash", "-c", "-l", "eval 'b: x' && pwd -P >| /tmp/claude-1-cwd")
                        .host());
        assertNull(of("bash", "-c", "-l", CLAUDE.formatted("'echo a: b'")));
        String unaliased = "\\builtin unalias -- 'which'; " + CLAUDE.formatted("'b: x'");
        assertEquals("b", of("bash", "-c", "-l", unaliased).host());
        assertNull(of("bash", "-c", "-l", CLAUDE.formatted("'ls; eval \"b: x\"'")));
        assertNull(of("bash", "-c", "-l", "medieval 'b: x' && pwd -P >| /tmp/claude-1-cwd"));
    }

    @Test
    void shouldReadHostileInputInOneGo() {
        String spaces = " ".repeat(200_000);
        assertNull(of("bash", "-c", spaces));
        assertNull(of("bash", "-c", spaces + "x"));
        assertEquals("b", of("bash", "-c", spaces + "b: x").host());
        assertNull(of("bash", "-c", "a".repeat(200_000) + ": x"));
        assertNull(of("bash", "-c", "eval ".repeat(40_000) + "&& pwd -P >| /tmp/claude-1-cwd"));
        assertNull(of("bash", "-c", "'".repeat(200_000) + " && pwd -P >| /tmp/claude-1-cwd"));
    }
}
