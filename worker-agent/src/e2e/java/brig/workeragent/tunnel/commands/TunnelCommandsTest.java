package brig.workeragent.tunnel.commands;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands on another machine, called through the socket that a wall has. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TunnelCommandsTest {
    private FarSide far;
    private TunnelCommands tunnel;

    @BeforeEach
    void open() throws IOException, InterruptedException {
        far = new FarSide();
        tunnel = far.open(List.of());
    }

    @AfterEach
    void close() throws IOException {
        tunnel.close();
        far.close();
    }

    @Test
    void shouldRunThereWithBothOutputsApartAndTheExitCode() throws IOException {
        try (ShellCaller caller = far.bash("id -u; pwd; echo wrong >&2; exit 7")) {
            assertEquals(7, caller.end());
            String uid = String.valueOf(Files.getAttribute(far.project, "unix:uid"));
            assertEquals(uid + "\n" + far.project + "\n", caller.outputText());
            assertEquals("wrong\n", caller.errorText());
        }
    }

    @Test
    void shouldKeepEveryByteOfArgumentsInputAndOutput() throws IOException {
        byte[] all = new byte[255];
        for (int i = 0; i < all.length; i++) all[i] = (byte) (i + 1);
        String word = new String(all, ISO_8859_1);
        try (ShellCaller caller = new ShellCaller(
                far.socket(), far.project.toString(), Map.of(), "bash", "-c", "printf %s \"$1\"; cat", "x", word)) {
            byte[] input = new byte[100_000];
            new Random(7).nextBytes(input);
            caller.input(java.util.Arrays.copyOf(input, 60_000));
            caller.input(java.util.Arrays.copyOfRange(input, 60_000, 100_000));
            caller.send('E');
            assertEquals(0, caller.end(), caller::errorText);
            ByteBuffer expected =
                    ByteBuffer.allocate(all.length + input.length).put(all).put(input);
            assertArrayEquals(expected.array(), caller.output.toByteArray());
        }
    }

    @Test
    void shouldPassOnOnlyListedVariables() throws IOException {
        Map<String, String> variables = Map.of("ANTHROPIC_API_KEY", "sk", "PATH", "/x", "TERM", "dumb", "LC_ALL", "C");
        try (ShellCaller caller = new ShellCaller(
                far.socket(), far.project.toString(), variables, "bash", "-c", "env | grep -c 'sk\\|/x$'; env")) {
            assertEquals(0, caller.end());
            assertTrue(caller.outputText().startsWith("0\n"), caller::outputText);
            assertTrue(caller.outputText().contains("TERM=dumb\n"), caller::outputText);
            assertTrue(caller.outputText().contains("LC_ALL=C\n"), caller::outputText);
        }
    }

    @Test
    void shouldSignalWhatRunsThere() throws IOException {
        try (ShellCaller caller =
                far.bash("trap 'echo caught; exit 3' USR1; echo ready; while :; do sleep 0.05; done")) {
            caller.awaitOutput("ready\n");
            caller.send('S', (byte) 10);
            assertEquals(3, caller.end());
            assertTrue(caller.outputText().endsWith("caught\n"), caller::outputText);
        }
        try (ShellCaller caller = far.bash("sleep 100")) {
            caller.send('S', (byte) 15);
            assertEquals(1015, caller.end());
        }
    }

    @Test
    void shouldEndWhatRunsThereWhenTheCallerIsGone() throws Exception {
        try (ShellCaller caller = far.bash("echo $$ >pid; echo there; sleep 600 & wait")) {
            caller.channel().read(ByteBuffer.allocate(1));
            await(() -> Files.exists(far.project.resolve("pid")) && Files.size(far.project.resolve("pid")) > 0);
        }
        long pid = Long.parseLong(Files.readString(far.project.resolve("pid")).strip());
        await(() -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
    }

    @Test
    void shouldGiveACommandATerminalWithTheSizeOfTheCallers() throws IOException {
        String command = "tty; stty size; trap 'stty size; exit 9' WINCH; echo up; read x; echo got $x;"
                + " while :; do sleep 0.05; done";
        String request = "bash\0" + far.project + "\0tty\0" + "24\0" + "80\0" + "3\0bash\0-c\0" + command + "\0";
        try (ShellCaller caller = new ShellCaller(far.socket())) {
            caller.send('R', request.getBytes(ISO_8859_1));
            caller.awaitOutput("up\r\n");
            assertTrue(caller.outputText().startsWith("/dev/pts/"), caller::outputText);
            assertTrue(caller.outputText().contains("24 80\r\n"), caller::outputText);
            caller.input("hello\r".getBytes(ISO_8859_1));
            caller.awaitOutput("got hello\r\n");
            caller.send('W', (byte) 0, (byte) 50, (byte) 0, (byte) 100);
            assertEquals(9, caller.end());
            assertTrue(caller.outputText().endsWith("50 100\r\n"), caller::outputText);
        }
    }

    @Test
    void shouldNotWaitForWhatACommandLeftInTheBackground() throws IOException {
        try (ShellCaller caller = far.bash("sleep 30 & echo $!")) {
            assertEquals(0, caller.end());
            long left = Long.parseLong(caller.outputText().strip());
            assertTrue(ProcessHandle.of(left).isPresent());
            ProcessHandle.of(left).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void shouldBringBackTheFileThatClaudeReads() throws IOException {
        try (ShellCaller caller = far.bash("mkdir sub; cd sub && pwd -P >| /tmp/claude-e2e1-cwd")) {
            assertEquals(0, caller.end());
            assertEquals("/tmp/claude-e2e1-cwd\0" + far.project + "/sub\n", caller.returned);
            assertFalse(Files.exists(Path.of("/tmp/claude-e2e1-cwd")));
        }
    }

    @Test
    void shouldRefuseSnapshotsOfThisSide() throws IOException {
        try (ShellCaller caller = far.bash("SNAPSHOT_FILE=/home/worker/.claude/shell-snapshots/x.sh\ntouch made")) {
            assertEquals(126, caller.end());
            assertFalse(Files.exists(far.project.resolve("made")));
        }
    }

    @Test
    void shouldLetCommandsBeyondTheSessionsOfSshWait() throws IOException {
        List<ShellCaller> callers = new ArrayList<>();
        for (int i = 0; i < 12; i++) callers.add(far.bash("echo " + i + "; while [ ! -e go ]; do sleep 0.05; done"));
        assertEquals(0, tunnelSessions());
        far.write("go", "");
        for (int i = 0; i < 12; i++) {
            try (ShellCaller caller = callers.get(i)) {
                assertEquals(0, caller.end());
                assertEquals(i + "\n", caller.outputText());
            }
        }
    }

    private int tunnelSessions() {
        await(() -> far.master.sessions.availablePermits() == 0);
        return far.master.sessions.availablePermits();
    }

    /** What a program in a wall may send instead of a request. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "R\u007f\u00ff\u00ff\u00ff",
                "R\u00ff\u00ff\u00ff\u00ff",
                "Z\0\0\0\0",
                "I\0\0\0\0",
                "R\0\0\0\1x",
                "R\0\0\0\3x\0\0",
                "R\0\0\0\20bash\0/\0\0" + "0\0" + "0\0" + "9\0x\0",
                "R\0\0\0\21bash\0/\0\0" + "0\0" + "0\0" + "-1\0x\0"
            })
    void shouldCloseAConnectionThatBeginsWithNoRequest(String bytes) throws IOException {
        try (ShellCaller caller = new ShellCaller(far.socket())) {
            caller.channel().write(ByteBuffer.wrap(bytes.getBytes(ISO_8859_1)));
            assertEquals(-1, caller.end());
        }
        try (ShellCaller caller = far.bash("echo still")) {
            assertEquals(0, caller.end());
        }
    }

    @Test
    void shouldCloseAConnectionThatSendsMoreInputThanWasTaken() throws IOException {
        try (ShellCaller caller = far.bash("sleep 100")) {
            assertThrows(IOException.class, () -> {
                for (int i = 0; i < 9; i++) caller.send('I', new byte[60_000]);
                if (caller.end() < 0) throw new IOException("closed");
            });
        }
    }

    interface Condition {
        boolean holds() throws IOException;
    }

    static void await(Condition condition) {
        try {
            while (!condition.holds()) Thread.onSpinWait();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
