package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.wire.FrameType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a worker-agent that was killed leaves, and what the next one does about it. */
@Timeout(90)
class OrphansTest {
    private static final String COMMIT = "git -c user.name=a -c user.email=a@example.org commit -qm work --allow-empty";

    private final AgentFixture fixture = new AgentFixture();
    private final Path bases = fixture.root.resolve("workspaces");
    private final Path repository = bases.resolve("project");
    private final String mark = "brig-orphan-" + System.nanoTime();
    private Process process;

    OrphansTest() throws IOException {}

    @AfterEach
    void close() throws Exception {
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
        fixture.close();
    }

    private static void host(Path folder, String script) throws Exception {
        Process run = new ProcessBuilder("sh", "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(run.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, run.waitFor(), said);
    }

    private void startVictim() throws Exception {
        CommandLine options = fixture.options();
        List<String> command = new ArrayList<>(AgentFixture.java());
        command.addAll(List.of(
                WorkerAgent.class.getName(),
                "--config",
                options.config().toString(),
                "--home",
                options.home().toString(),
                "--runtime-dir",
                options.runtimeDir().toString()));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        assertEquals("ready " + fixture.linkSocket(), out.readLine());
    }

    private String spawn(TestGateway control, String task, String prompt) throws IOException {
        String id = Ids.newSpawnId(System.currentTimeMillis());
        Map<String, ?> request = Map.of(
                "agent_config",
                Map.of("name", "shell"),
                "prompt",
                prompt,
                "task_id",
                task,
                "workspace_mode",
                "worktree",
                "repository",
                repository.toString());
        Map<String, Object> answer = control.ask(new String(
                brig.protocol.json.Json.write(Map.of("id", 1, "op", "spawn", "spawn_id", id, "request", request)),
                UTF_8));
        assertTrue(answer.containsKey("ok"), answer.toString());
        try (TestGateway frames = fixture.frames(id, 1)) {
            // The message is a frame too, and has the same word.
            frames.read(frame ->
                    frame.type() != FrameType.CHUNK || !frame.text("content").contains("up"));
        }
        return id;
    }

    private List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldRemoveWhatAKilledWorkerAgentLeftAndNothingOfAnybodyElse() throws Exception {
        // Scenario: one worker that changed nothing and one that wrote a file, when their worker-agent is
        // killed; beside them a note of a worker-agent that lives, one of another container, and a stranger;
        // a worktree that was never finished, and one that has lost its place in the repository.
        Files.createDirectories(repository);
        host(repository, "git init -q -b main . && " + COMMIT);
        if (Installation.isRoot()) {
            host(repository, "chown -R 59617:59617 .");
        }
        startVictim();
        String idle;
        String busy;
        try (TestGateway control = fixture.control()) {
            idle = spawn(control, "idle", "echo up; exec -a " + mark + " sleep 1000");
            busy = spawn(control, "busy", "echo x > x; echo up; exec -a " + mark + " sleep 1000");
        }
        process.destroyForcibly().waitFor();
        Path wall = fixture.root.resolve("run/wall");
        Files.writeString(wall.resolve("passwd77.new"), "half");
        Files.writeString(wall.resolve("stranger"), "");
        Path living = note(
                "spn_living",
                "{\"pid\":1,\"started_ms\":" + startOf(1)
                        + ",\"pid_namespace\":\"%s\"}".formatted(Files.readSymbolicLink(Path.of("/proc/self/ns/pid"))));
        Path foreign = note("spn_foreign", "{\"pid\":99999999,\"started_ms\":1,\"pid_namespace\":\"pid:[1]\"}");
        Files.createDirectory(bases.resolve("spn_stranger"));
        String here = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        note("spn_halfway", "{\"pid\":1,\"started_ms\":5,\"pid_namespace\":\"%s\"}".formatted(here));
        note("spn_torn", "{\"pid\":1,\"started_ms\":5,\"pid_namespace\":\"%s\"}".formatted(here));
        Files.writeString(Files.createDirectory(bases.resolve("spn_torn")).resolve("work"), "");

        fixture.open();

        assertEquals(List.of(), AgentFixture.processesWith(mark));
        assertEquals(List.of("link.sock", "lock"), fixture.socketFolder());
        // It serves before it has ended what its predecessor left; the halfway one and the idle one go.
        while (Files.exists(bases.resolve(idle + ".worktree"))
                || Files.exists(bases.resolve("spn_halfway.worktree"))
                || !endedOf(busy)) {
            LockSupport.parkNanos(2_000_000);
        }
        assertFalse(Files.exists(bases.resolve(idle)));
        assertTrue(Files.exists(bases.resolve(busy).resolve("x")));
        assertEquals(
                Stream.of(
                                "project",
                                busy,
                                busy + ".config",
                                busy + ".index",
                                busy + ".worktree",
                                "spn_foreign.worktree",
                                "spn_living.worktree",
                                "spn_stranger",
                                "spn_torn",
                                "spn_torn.worktree")
                        .sorted()
                        .toList(),
                names(bases));
        assertEquals(List.of(busy), names(repository.resolve(".git/worktrees")));
        assertTrue(Files.exists(living) && Files.exists(foreign));
        assertFalse(Files.exists(wall.resolve("passwd77.new")));
        assertTrue(Files.exists(wall.resolve("stranger")));
    }

    private boolean endedOf(String id) throws IOException {
        return !Files.readString(bases.resolve(id + ".worktree")).contains("\"ended_ms\":0");
    }

    private static long startOf(long pid) {
        return ProcessHandle.of(pid)
                .orElseThrow()
                .info()
                .startInstant()
                .orElseThrow()
                .toEpochMilli();
    }

    private Path note(String spawnId, String owner) throws IOException {
        return Files.writeString(bases.resolve(spawnId + ".worktree"), """
                {"source": "%s", "branch": "brig/x", "start": "0", "owner": %s}
                """.formatted(repository, owner));
    }
}
