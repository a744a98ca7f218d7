package brig.workeragent.tunnel.commands;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.control.CallerTerminal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShellRequestTest {
    private static ShellRequest parse(String texts) {
        return ShellRequest.parse(texts.replace('|', '\0').getBytes(ISO_8859_1));
    }

    @Test
    void shouldReadARequest() {
        ShellRequest request = parse("bash|/p|tty|24|80|3|-bash|-c|\u00e4 $x||A=1|B=x=y|odd|");
        assertEquals(
                new ShellRequest(
                        "bash", "/p", true, 24, 80, List.of("-bash", "-c", "\u00e4 $x"), Map.of("A", "1", "B", "x=y")),
                request);
        assertTrue(request.login());
    }

    @Test
    void shouldAskForALoginShellOfAPerson() {
        ShellRequest request = ShellRequest.ofPerson("/p", new CallerTerminal(24, 80, "xterm", null));
        assertEquals(
                new ShellRequest(
                        "sh",
                        "/p",
                        true,
                        24,
                        80,
                        List.of("sh", "-c", "exec \"${SHELL:-/bin/sh}\" -l"),
                        Map.of("TERM", "xterm")),
                request);
        assertEquals(
                "C.UTF-8",
                ShellRequest.ofPerson("/p", new CallerTerminal(24, 80, "xterm", "C.UTF-8"))
                        .environment()
                        .get("LANG"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "bash|",
                "bash|/p||0|0|1|x",
                "bash|/p||0|0|2|x|",
                "bash|/p||0|0|0|",
                "bash|p||0|0|1|x|",
                "bash|/p||-1|0|1|x|",
                "bash|/p||0|99999|1|x|",
                "bash|/p||0|0|5000|x|",
                "bash|/p||0|0||x|"
            })
    void shouldRefuseAMalformedOne(String texts) {
        assertThrows(IllegalArgumentException.class, () -> parse(texts));
    }

    @Test
    void shouldPassOnNoKeyAndNoOddVariable() {
        Map<String, String> environment = new HashMap<>(Map.of("TERM", "x", "LC_ALL", "C", "PATH", "/", "MINE", "1"));
        environment.put("ANTHROPIC_API_KEY", "sk");
        environment.put("LC_A;B", "x");
        environment.put("LANG", "x".repeat(2000));
        assertEquals(
                Map.of("TERM", "x", "LC_ALL", "C", "MINE", "1"), ShellHabits.variables(environment, Set.of("MINE")));
    }

    @Test
    void shouldKnowWhatAgentsDoWithShells() {
        assertEquals(
                "/tmp/claude-7d05-cwd",
                ShellHabits.returnedFile(
                        List.of("bash", "-c", "-l", "eval 'ls' < /dev/null && pwd -P >| /tmp/claude-7d05-cwd")));
        assertNull(ShellHabits.returnedFile(List.of("bash", "-c", "pwd >| /tmp/claude-../x-cwd")));
        assertNull(ShellHabits.returnedFile(List.of("bash", "-c", "pwd >| /tmp/claude-1-cwd; ls")));
        assertTrue(ShellHabits.asksForSnapshot(
                List.of("bash", "-c", "-l", "SNAPSHOT_FILE=/h/.claude/shell-snapshots/snapshot-bash-1.sh\n")));
        assertTrue(ShellHabits.asksForSnapshot(List.of("bash", "-lc", "x\n__codex_snapshot_command() {\n")));
        assertFalse(ShellHabits.asksForSnapshot(List.of("bash", "-c", "cat x/shell-snapshots/y")));
    }
}
