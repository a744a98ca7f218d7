package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.bubblewrap.SandboxWalls;
import brig.workeragent.wall.EgressGate;
import brig.workeragent.workspace.MadeWorkspaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What stays of a workspace that Brig made when its spawn is over, and for how long. */
@Timeout(90)
class KeptWorkspacesTest {
    private static final String COMMIT = "git -c user.name=a -c user.email=a@example.org commit -qm work";

    private static final int ATTEMPTS_MAX = 20;

    private final AgentFixture fixture = new AgentFixture();
    private final Path bases = fixture.root.resolve("workspaces");
    private final Path repository = bases.resolve("project");

    KeptWorkspacesTest() throws IOException {}

    @BeforeEach
    void makeRepository() throws Exception {
        Files.createDirectories(repository);
        host(repository, "git init -q -b main . && echo one > a.txt && git add -A && " + COMMIT);
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    private TestGateway open() throws Exception {
        giveToWorkers();
        return fixture.open().control();
    }

    private void giveToWorkers() throws Exception {
        if (Installation.isRoot()) {
            host(repository, "chown -R 59617:59617 .");
        }
    }

    private static String host(Path folder, String script) throws Exception {
        Process run = new ProcessBuilder("sh", "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(run.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, run.waitFor(), said);
        return said;
    }

    private List<String> branches() throws Exception {
        return host(repository, "git -c safe.directory='*' branch --format='%(refname:short)'")
                .lines()
                .toList();
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(bases)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static String id() {
        return Ids.newSpawnId(System.currentTimeMillis());
    }

    private Map<String, ?> worktree() {
        return Map.of("workspace_mode", "worktree", "repository", repository.toString(), "task_id", "again");
    }

    private static String ask(TestGateway control, String op, String id) throws IOException {
        return control.ask("{\"id\":2,\"op\":\"" + op + "\",\"spawn_id\":\"" + id + "\"}")
                .toString();
    }

    @Test
    void shouldTakeAnotherBranchWhenAnEarlierSpawnOfThatNameLeftOne() throws Exception {
        try (TestGateway control = open()) {
            String script = "git branch --show-current; touch x";
            String first = id();
            assertEquals("brig/again\n", fixture.runToEnd(control, first, worktree(), script));
            String second = id();
            assertEquals("brig/again-2\n", fixture.runToEnd(control, second, worktree(), script));
            assertEquals(List.of("brig/again", "brig/again-2", "main"), branches());
            String kept = control.ask("{\"id\":2,\"op\":\"workspaces\"}").toString();
            assertTrue(kept.contains(first) && kept.contains("branch=brig/again-2"), kept);
            assertTrue(kept.contains("task_id=again"), kept);
            assertTrue(ask(control, "discard", first).contains("ok="));
            assertEquals(List.of("brig/again-2", "main"), branches());
            assertEquals(
                    List.of("project", second, second + ".config", second + ".index", second + ".worktree"), names());
            assertTrue(ask(control, "discard", first).contains("NOT_FOUND"));
        }
    }

    @Test
    void shouldNotDiscardWhatASpawnWorksIn() throws Exception {
        try (TestGateway control = open()) {
            String id = id();
            String request = """
                    {"id":1,"op":"spawn","spawn_id":"%s","request":{"agent_config":{"name":"shell"},
                    "workspace_mode":"worktree","repository":"%s"}}""".formatted(id, repository).replace("\n", " ");
            assertTrue(control.ask(request).containsKey("ok"));
            assertTrue(ask(control, "discard", id).contains("code=TASK_ID_IN_USE"));
            assertTrue(Files.exists(bases.resolve(id).resolve("a.txt")));
        }
    }

    private SandboxWalls walls() throws Exception {
        Installation installation = Installation.read(fixture.options(), Map.of(), Installation.isRoot());
        return SandboxWalls.open(installation.wallSettings(), EgressGate.NONE);
    }

    private MadeWorkspaces made(SandboxWalls walls, long keptMs, AtomicLong nowMs) {
        return new MadeWorkspaces(
                new MadeWorkspaces.Tools(
                        walls.tools(), walls.user(), walls.cloneProgram(), fixture.root.resolve("mirrors")),
                List.of(bases),
                List::of,
                new MadeWorkspaces.Bounds(keptMs, 10, 1_000_000),
                nowMs::get);
    }

    /** git compares whole seconds. */
    private static long changedSecond(Path file) throws IOException {
        return ((FileTime) Files.getAttribute(file, "unix:ctime")).to(TimeUnit.SECONDS);
    }

    @Test
    void shouldSeeAChangeOfTheSecondInWhichTheWorktreeWasMade() throws Exception {
        // Scenario: an agent writes as many other bytes at once; somebody looks a second later.
        giveToWorkers();
        try (SandboxWalls walls = walls()) {
            MadeWorkspaces made = made(walls, 0, new AtomicLong(1_000_000));
            boolean wasSameSecond = false;
            for (int attempt = 0; !wasSameSecond && attempt < ATTEMPTS_MAX; attempt++) {
                String name = "spn_quick" + attempt;
                Path file = made.worktree(
                                name, name, repository, new SpawnRequest.Asker("uid:1000", false), false, List.of())
                        .folder()
                        .resolve("a.txt");
                long second = changedSecond(file);
                Files.writeString(file, "two\n");
                wasSameSecond = second == changedSecond(file);
                while (TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()) <= second + 1) {
                    Thread.onSpinWait();
                }
                assertTrue(made.diff(name, null, false).diff().contains("+two"));
                made.end(name);
                assertTrue(Files.exists(file), name);
            }
            assertTrue(wasSameSecond, "one was written in the second in which it was made");
        }
    }

    @Test
    void shouldRemoveWhatWasKeptLongEnoughButNoCommits() throws Exception {
        // Scenario: one worktree with a commit, one with a file that was never committed, one that came later.
        AtomicLong nowMs = new AtomicLong(1_000_000);
        giveToWorkers();
        try (SandboxWalls walls = walls()) {
            MadeWorkspaces made = made(walls, 1000, nowMs);
            for (String name : List.of("spn_committed", "spn_loose", "spn_later")) {
                Path folder = made.worktree(
                                name, name, repository, new SpawnRequest.Asker("uid:1000", false), false, List.of())
                        .folder();
                host(
                        folder,
                        "touch x"
                                + (name.equals("spn_committed")
                                        ? "; git -c safe.directory='*' add x; "
                                                + COMMIT.replace("git ", "git -c safe.directory='*' ")
                                        : ""));
                giveToWorkers();
                nowMs.addAndGet(name.equals("spn_later") ? 1 : 0);
                made.end(name);
            }
            nowMs.addAndGet(998);
            made.sweep();
            assertEquals(3, made.kept().size());
            nowMs.addAndGet(1);
            made.sweep();
            assertEquals(
                    List.of("spn_later"),
                    made.kept().stream()
                            .map(WorkspacesAnswer.KeptWorkspace::spawnId)
                            .toList());
            assertEquals(
                    List.of("project", "spn_later", "spn_later.config", "spn_later.index", "spn_later.worktree"),
                    names());
            assertEquals(List.of("brig/spn_committed", "brig/spn_later", "main"), branches());
        }
    }

    @Test
    void shouldRemoveFoldersThatItMadeWhenTheyAreStillEmpty() throws Exception {
        Files.createDirectory(bases.resolve("before"));
        if (Installation.isRoot()) {
            Files.setAttribute(bases.resolve("before"), "unix:uid", 59617);
        }
        try (TestGateway control = open()) {
            fixture.runToEnd(control, id(), Map.of("task_id", "empty"), "true");
            fixture.runToEnd(control, id(), Map.of("workspace", bases + "/new/deep"), "true");
            fixture.runToEnd(control, id(), Map.of("workspace", bases + "/before"), "true");
            fixture.runToEnd(control, id(), Map.of("task_id", "used"), "touch x");
        }
        assertEquals(List.of("before", "project", "used"), names());
    }

    @Test
    void shouldLeaveAnEmptyFolderWhenAnotherSpawnWorksInIt() throws Exception {
        // Scenario: the spawn that made the folder ends first; the other one then writes.
        try (TestGateway control = open()) {
            String first = id();
            String second = id();
            for (String id : List.of(first, second)) {
                assertTrue(control.ask("{\"id\":1,\"op\":\"spawn\",\"spawn_id\":\"" + id
                                + "\",\"request\":{\"workspace\":\"" + bases
                                + "/shared\",\"share_workspace\":true,\"agent_config\":{\"name\":\"shell\"}}}")
                        .containsKey("ok"));
            }
            end(control, first);
            assertTrue(Files.exists(bases.resolve("shared")));
            end(control, second);
            assertFalse(Files.exists(bases.resolve("shared")));
        }
    }

    private void end(TestGateway control, String id) throws IOException {
        ask(control, "terminate", id);
        try (TestGateway frames = fixture.frames(id, 1)) {
            frames.read(frame -> !frame.text("state").equals("terminated"));
        }
    }
}
