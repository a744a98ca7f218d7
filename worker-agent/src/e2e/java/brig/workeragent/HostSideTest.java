package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.Ids;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The part of the escape suite that runs behind the agent's back: what it left in its workspace, against everything that is
 * done there on the host, while the session lives, at its end, and later. An attack has won where its program was executed
 * outside of a wall, or a file was written that is not the session's own.
 */
@Timeout(120)
@Order(4)
class HostSideTest {
    private static final String WORKERS = "59617";

    private AgentFixture fixture;
    private TestGateway control;
    private Path repository;
    private Path marks;

    @BeforeEach
    void open() throws Exception {
        fixture = new AgentFixture();
        Map<String, Object> settings = new LinkedHashMap<>(Json.parseCommented(Files.readString(fixture.config)));
        Map<String, Object> worker = new LinkedHashMap<>(asMap(settings.get("worker")));
        worker.put("tools", Map.of("timeoutMs", 3000, "memoryBytesMax", 64L * 1024 * 1024));
        settings.put("worker", worker);
        Files.write(fixture.config, Json.write(settings));
        marks = Files.createDirectory(fixture.root.resolve("marks"));
        Files.setPosixFilePermissions(marks, PosixFilePermissions.fromString("rwxrwxrwx"));
        fixture.open();
        control = fixture.control();
        repository = Files.createDirectory(fixture.root.resolve("workspaces/project"));
        host(HostSideAttacks.PREPARE);
        giveToWorkers();
    }

    @AfterEach
    void close() throws IOException {
        control.close();
        fixture.close();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> asMap(Object value) {
        return (Map<String, Object>) value;
    }

    private String host(String script) throws Exception {
        Process process = new ProcessBuilder("sh", "-ec", script)
                .directory(repository.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said;
    }

    private void giveToWorkers() throws Exception {
        if (Installation.isRoot()) {
            host("chown -R " + WORKERS + ":" + WORKERS + " .");
        }
    }

    private String ask(String op, String id, String more) throws IOException {
        try (TestGateway own = fixture.control()) {
            return String.valueOf(own.ask("{\"id\":2,\"op\":\"" + op + "\",\"spawn_id\":\"" + id + "\"" + more + "}"));
        }
    }

    private Map<String, Object> worktree(String mode) {
        return new LinkedHashMap<>(Map.of("workspace_mode", mode, "repository", repository.toString()));
    }

    private static String id() {
        return Ids.newSpawnId(System.currentTimeMillis());
    }

    private String script(String name) {
        return HostSideAttacks.script(name, marks, repository);
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("brig.workeragent.HostSideAttacks#names")
    void shouldRunNothingOfTheAgentsOutsideAWall(String name) throws Exception {
        assumeTrue(Installation.isRoot(), "programs that are executed can be watched by root only");
        String script = script(name);
        Map<String, Long> before = HostSideAttacks.hostFiles(repository);
        List<String> executed;
        try (ExecWatch watch = new ExecWatch(fixture.root, "evil-program")) {
            for (String mode :
                    name.equals(HostSideAttacks.FILTER) ? List.of("worktree", "snapshot") : List.of("worktree")) {
                try (Walled session = new Walled(fixture, "shell", worktree(mode))) {
                    session.say(script);
                    session.untilDone();
                    ask("diff", session.id(), "");
                    ask("apply", session.id(), ",\"check\":true,\"allow\":[\"*\"]");
                    ask("apply", session.id(), "");
                    session.terminate();
                    ask("diff", session.id(), "");
                    ask("discard", session.id(), "");
                }
            }
            executed = watch.seen();
        }

        assertEquals(
                List.of(),
                executed.stream().filter(line -> line.startsWith("host ")).toList());
        assertTrue(
                !name.equals(HostSideAttacks.FILTER) || executed.size() > 0,
                "git did not fall into the trap, so nothing was shown");
        assertEquals(List.of(), HostSideAttacks.marksIn(marks));
        Map<String, Long> after = HostSideAttacks.hostFiles(repository);
        after.keySet().removeAll(List.of("x"));
        assertEquals(before, after, "the repository is as it was, but for what was taken over");
    }

    /** Scenario: an agent in the repository itself leaves a trap there; later sessions are made of that repository. */
    @Test
    void shouldNotBeTrappedByARepositoryThatAnAgentWorkedIn() throws Exception {
        String trap = script(HostSideAttacks.FILTER);
        fixture.runToEnd(control, id(), Map.of("workspace", repository.toString()), trap);
        for (String mode : List.of("worktree", "snapshot")) {
            String id = id();
            fixture.runToEnd(control, id, worktree(mode), "echo more >> a.txt");
            String applied = ask("apply", id, ",\"allow\":[\"*\"]");
            assertTrue(applied.contains("applied=true"), applied);
            ask("discard", id, "");
            host("git -c safe.directory='*' checkout -q a.txt");
        }
        assertEquals(List.of(), HostSideAttacks.marksIn(marks));
    }

    /** Scenario: one session's program never ends; its neighbour's requests are asked while it is being waited for. */
    @Test
    @Tag("slow")
    void shouldLetNoSessionWaitForAnothersProgram() throws Exception {
        try (Walled slow = new Walled(fixture, "shell", worktree("worktree"));
                Walled quick = new Walled(fixture, "shell", worktree("worktree"))) {
            slow.say(script(HostSideAttacks.ENDLESS));
            slow.untilDone();
            quick.say("echo two >> a.txt");
            quick.untilDone();
            List<CompletableFuture<String>> hanging = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                hanging.add(CompletableFuture.supplyAsync(() -> answer("diff", slow.id())));
            }
            assertTrue(answer("diff", quick.id()).contains("+two"));
            assertTrue(answer("apply", quick.id()).contains("applied=true"));
            assertFalse(hanging.stream().anyMatch(CompletableFuture::isDone), "the neighbour was first");
            for (CompletableFuture<String> one : hanging) {
                String said = one.join();
                assertTrue(said.contains("WORKSPACE_UNREADABLE") || said.contains("QUEUE_FULL"), said);
            }
            slow.terminate();
        }
        assertEquals(List.of(), HostSideAttacks.marksIn(marks));
    }

    private String answer(String op, String id) {
        try {
            return ask(op, id, "");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Scenario: the worker-agent is gone while hostile workspaces stand; the next one ends them beside its other work. */
    @Test
    void shouldStartAndServeWhateverLiesThere() throws Exception {
        Walled hostile = new Walled(fixture, "shell", worktree("worktree"));
        hostile.say(script(HostSideAttacks.ENDLESS));
        hostile.untilDone();
        Path note = fixture.root.resolve("workspaces/" + hostile.id() + ".worktree");
        hostile.close();
        fixture.agent.close();
        // As if that worker-agent had been killed: its note says neither that the spawn ended nor that its owner lives.
        Map<String, Object> known = new LinkedHashMap<>(Json.parseObject(Files.readAllBytes(note)));
        Map<String, Object> owner = new LinkedHashMap<>(asMap(known.get("owner")));
        owner.put("started_ms", 1L);
        known.put("owner", owner);
        known.put("ended_ms", 0L);
        Files.write(note, Json.write(known));
        control.close();
        fixture.open();
        control = fixture.control();
        assertEquals("served\n", fixture.runToEnd(control, id(), worktree("worktree"), "echo served"));
        while (!String.valueOf(control.ask("{\"id\":3,\"op\":\"workspaces\"}")).contains(hostile.id())) {
            LockSupport.parkNanos(2_000_000);
        }
        assertEquals(List.of(), HostSideAttacks.marksIn(marks));
    }

    @Test
    void shouldTakeOverOnlyWhatAPersonNamed() throws Exception {
        String id = id();
        fixture.runToEnd(
                control,
                id,
                worktree("worktree"),
                "echo two >> a.txt; printf '#!/bin/sh\\n' > run; chmod 755 run; "
                        + "ln -s /etc/hostname away; mkdir .vscode; echo '{}' > .vscode/tasks.json; ln -s a.txt near");
        String refused = ask("apply", id, "");
        assertTrue(
                refused.contains("applied=false")
                        && refused.matches("(?s).*withheld=.*=startup_file.*=link_out.*=executable.*"),
                refused);
        assertFalse(refused.substring(refused.indexOf("withheld=")).contains("near"), refused);
        assertEquals("one\n", Files.readString(repository.resolve("a.txt")));
        assertTrue(ask("apply", id, ",\"allow\":[\"run\",\"away\"]").contains("reason=startup_file"));
        assertTrue(
                ask("apply", id, ",\"allow\":[\"run\",\"away\",\".vscode/**\"]").contains("applied=true"));
        assertEquals("one\ntwo\n", Files.readString(repository.resolve("a.txt")));
        assertTrue(Files.isExecutable(repository.resolve("run")));
        assertEquals(Path.of("/etc/hostname"), Files.readSymbolicLink(repository.resolve("away")));
        assertTrue(ask("apply", id, "").contains("patch=,"), "all of it is there");
    }

    /** Scenario: changes are taken over twice, with the same files changed in between. */
    @Test
    void shouldTakeOverAgainOnlyWhatIsNew() throws Exception {
        try (Walled session = new Walled(fixture, "shell", worktree("worktree"))) {
            for (String step : List.of(
                    "echo two >> a.txt; mkdir d; echo x > d/f; head -c 2000 /dev/urandom > bin",
                    "echo three >> a.txt; rm -r d; echo file > d; head -c 1000 /dev/urandom > bin",
                    "rm d bin; mkdir d; echo y > d/f")) {
                session.say(step);
                session.untilDone();
                String applied = ask("apply", session.id(), "");
                assertTrue(applied.contains("applied=true"), applied);
            }
            assertEquals("one\ntwo\nthree\n", Files.readString(repository.resolve("a.txt")));
            assertEquals("y\n", Files.readString(repository.resolve("d/f")));
            assertFalse(Files.exists(repository.resolve("bin")));
            session.terminate();
        }
    }
}
