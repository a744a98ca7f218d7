package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.wire.FrameType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The worker-agent as a process of its own: how it starts, and what is left when it dies. */
@Timeout(180)
class WorkerAgentProcessTest {
    private final AgentFixture fixture = new AgentFixture();
    private final String mark = "brig-mark-" + System.nanoTime();
    private Process process;
    private BufferedReader out;

    WorkerAgentProcessTest() throws IOException {}

    private void start(String... more) throws IOException {
        List<String> command = new ArrayList<>(AgentFixture.java());
        command.add(WorkerAgent.class.getName());
        command.addAll(List.of(more));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    }

    private void startWithFixture() throws IOException {
        CommandLine options = fixture.options();
        start(
                "--config",
                options.config().toString(),
                "--home",
                options.home().toString(),
                "--runtime-dir",
                options.runtimeDir().toString());
        assertEquals("ready " + fixture.linkSocket(), out.readLine());
    }

    private void spawnSleeper() throws IOException {
        try (TestGateway control = fixture.control()) {
            String id = fixture.spawn(
                    control, "shell", "trap '' TERM; exec -a " + mark + " sleep 1000 & echo up; wait; sleep 1000");
            try (TestGateway frames = fixture.frames(id, 1)) {
                frames.read(frame -> frame.type() != FrameType.CHUNK);
            }
        }
        while (AgentFixture.processesWith(mark).isEmpty()) {
            LockSupport.parkNanos(2_000_000);
        }
    }

    private void awaitNoSleeper() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!AgentFixture.processesWith(mark).isEmpty() && System.nanoTime() < end) {
            LockSupport.parkNanos(2_000_000);
        }
        assertEquals(List.of(), AgentFixture.processesWith(mark));
    }

    @AfterEach
    void close() throws IOException {
        process.destroyForcibly();
        fixture.close();
    }

    @Test
    void shouldLeaveNoAgentWhenKilled() throws Exception {
        // Scenario: the kernel kills the worker-agent, which can do nothing any more; then the next one
        // starts.
        startWithFixture();
        spawnSleeper();
        process.destroyForcibly().waitFor();
        awaitNoSleeper();
        assertTrue(Files.exists(fixture.linkSocket()));
        startWithFixture();
        assertEquals(List.of("link.sock", "lock"), fixture.socketFolder());
    }

    @Test
    void shouldEndWorkersFirstWhenTerminated() throws Exception {
        startWithFixture();
        spawnSleeper();
        process.destroy();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(143, process.exitValue());
        assertEquals(List.of(), AgentFixture.processesWith(mark));
        assertFalse(Files.exists(fixture.linkSocket()));
    }

    @Test
    void shouldAnswerThenExitWhenAskedToShutDown() throws Exception {
        startWithFixture();
        spawnSleeper();
        try (TestGateway control = fixture.control()) {
            assertTrue(control.ask("{\"id\":1,\"op\":\"shutdown\"}").containsKey("ok"));
        }
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(0, process.exitValue());
        assertEquals(List.of(), AgentFixture.processesWith(mark));
    }

    @Test
    void shouldRefuseWithExitCodeWhenArgumentsAreWrong() throws Exception {
        start("--colour", "red");
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(2, process.exitValue());
    }
}
