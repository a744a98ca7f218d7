package brig.workeragent.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.budget.Limit;
import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPort;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Message;
import brig.protocol.control.Provision;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.budget.BudgetConfig;
import brig.workeragent.budget.Budgets;
import brig.workeragent.handover.HandedOver;
import brig.workeragent.image.ImageUnpacker;
import brig.workeragent.image.Images;
import brig.workeragent.image.RootLayers;
import brig.workeragent.profile.AgentProfiles;
import brig.workeragent.profile.ModelRoutes;
import brig.workeragent.profile.MountRules;
import brig.workeragent.profile.Policies;
import brig.workeragent.profile.ProgramPlaces;
import brig.workeragent.profile.Programs;
import brig.workeragent.pump.SpillFolder;
import brig.workeragent.pump.WaitingReader;
import brig.workeragent.relay.RelayedNetworks;
import brig.workeragent.tunnel.Tunnels;
import brig.workeragent.wall.ToolWall;
import brig.workeragent.wall.WorkersUser;
import brig.workeragent.workspace.MadeWorkspaces;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class WorkersTest {
    private static final int WORKERS_MAX = 20;
    private static final SpawnRequest.Asker CAPTAIN = new SpawnRequest.Asker("ci", false);
    /** Many spawns of one name, which the gateway would not let through: they share its folder. */
    private static final SpawnRequest REQUEST = new SpawnRequest(
            "task",
            null,
            new SpawnRequest.AgentConfig("agent", null, List.of(), null),
            "go",
            false,
            null,
            SpawnRequest.WorkspaceMode.FOLDER,
            null,
            true,
            SpawnRequest.Claim.NONE,
            SpawnRequest.Bounds.NONE,
            SpawnRequest.Continuation.NEW,
            null);

    @TempDir
    Path folder;

    private final FakeWalls walls = new FakeWalls();
    /** What beginning with egress fails with. */
    private RuntimeException noEgress;

    private Workers workers;

    @BeforeEach
    void open() throws IOException {
        open(0);
    }

    private void open(int startsPerSecondMax) throws IOException {
        Files.writeString(
                folder.resolve("agent.json"), "{\"description\": \"d\", \"command\": [\"p\", \"{message}\"]}");
        Policies policies = new Policies(
                List.of(Path.of("../config/policies")),
                new MountRules(List.of(), List.of(), List.of(), -1),
                List.of(),
                new ModelRoutes(folder.resolve("routes")));
        workers = new Workers(
                new Workers.Services(
                        new AgentProfiles(List.of(folder)),
                        new Programs(new ProgramPlaces(Map.of()), folder, path -> null),
                        policies,
                        new HandedOver((ms, task) -> {}),
                        walls,
                        new MadeWorkspaces(
                                new MadeWorkspaces.Tools(
                                        new NoTools(),
                                        new WorkersUser(-1, false),
                                        folder.resolve("brig-clone"),
                                        folder.resolve("repositories")),
                                List.of(folder),
                                List::of,
                                new MadeWorkspaces.Bounds(0, 10, 1_000_000),
                                () -> 0),
                        new Images(
                                new Images.Bounds(
                                        folder.resolve("images"),
                                        0,
                                        0,
                                        0,
                                        0,
                                        new RootLayers.Bounds(folder.resolve("roots"), 0, 0)),
                                new ImageUnpacker(new NoTools(), folder, List.of(), List.of()),
                                new WorkersUser(-1, false),
                                () -> 0),
                        new SystemTimers(),
                        new NoEgress(),
                        new Budgets(folder.resolve("budget"), BudgetConfig.NONE, () -> 0),
                        new RelayedNetworks(folder.resolve("relay")),
                        spills(folder),
                        new Tunnels(folder.resolve("tunnel"), new WorkersUser(-1, false)),
                        Executors.newVirtualThreadPerTaskExecutor()),
                new Workers.Bounds(
                        folder.resolve("workspaces"),
                        List.of(),
                        folder.resolve("cassettes"),
                        folder.resolve("owners"),
                        100_000,
                        new StopTimes(60_000, 0, 10, 10),
                        startsPerSecondMax,
                        WORKERS_MAX));
    }

    private static SpillFolder spills(Path folder) {
        try {
            return SpillFolder.open(folder.resolve("spill"), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Nothing of a network. */
    private final class NoEgress implements EgressSessions {
        @Override
        public AutoCloseable open(String id, EgressPolicy atStart, Source source, Listener listener) {
            if (noEgress != null) {
                throw noEgress;
            }
            return () -> {};
        }

        @Override
        public void limit(String spawnId, Limit limit) {}

        @Override
        public void tryLogins(String spawnId) {}

        @Override
        public void refuse(String spawnId, HostPort host, String rule) {}
    }

    private CompletableFuture<SpawnAnswer> spawn(String id) {
        CompletableFuture<SpawnAnswer> answer = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                answer.complete(workers.spawn(id, REQUEST, CAPTAIN, Provision.NONE));
            } catch (InterruptedException | RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    private BrigException refusal(String id) {
        return assertThrows(BrigException.class, () -> workers.spawn(id, REQUEST, CAPTAIN, Provision.NONE));
    }

    private static void assertDisconnected(Worker worker) {
        BrigException refusal = assertThrows(BrigException.class, () -> WaitingReader.open(worker.outbox(), 1));
        assertEquals(ErrorCode.SESSION_ENDED, refusal.code());
    }

    @Test
    void shouldAnswerAlikeWhenSpawnIsRepeatedInFlight() throws Exception {
        // Scenario: the gateway asks again while the first process is still being started.
        walls.mayStart = new CompletableFuture<>();
        CompletableFuture<SpawnAnswer> first = spawn("a");
        while (walls.built.get() == 0) {
            Thread.onSpinWait();
        }
        CompletableFuture<SpawnAnswer> second = spawn("a");
        walls.mayStart.complete(null);
        assertSame(first.get(20, TimeUnit.SECONDS), second.get(20, TimeUnit.SECONDS));
        assertSame(first.get(), workers.spawn("a", REQUEST, CAPTAIN, Provision.NONE));
        assertEquals(1, walls.built.get());
        assertEquals(folder.resolve("workspaces/task").toString(), first.get().workspace());
    }

    @Test
    void shouldLeaveNothingWhenStartIsRefused() throws Exception {
        walls.refusal = new BrigException(ErrorCode.COMMAND_NOT_FOUND, "no agent");
        assertEquals(ErrorCode.COMMAND_NOT_FOUND, refusal("a").code());
        assertEquals(new WorkersAnswer(List.of(), List.of()), workers.list());
        assertEquals(1, walls.closed.get());
        walls.refusal = null;
        workers.spawn("a", REQUEST, CAPTAIN, Provision.NONE);
        assertTrue(workers.anyAlive());
    }

    @Test
    void shouldLeaveNoWallWhenWhatBelongsToItCannotBeOpened() throws Exception {
        noEgress = new IllegalStateException("not now");
        assertThrows(IllegalStateException.class, () -> workers.spawn("a", REQUEST, CAPTAIN, Provision.NONE));
        assertEquals(1, walls.closed.get());
        noEgress = null;
        Files.writeString(folder.resolve("cassettes"), "a file where the folder should be");
        SpawnRequest recorded = JsonObject.of(Map.of(
                        "task_id", "task", "agent_config", Map.of("name", "agent"), "prompt", "go", "record", true))
                .as(SpawnRequest.class);
        assertEquals(
                ErrorCode.RECORD_LOST,
                assertThrows(BrigException.class, () -> workers.spawn("a", recorded, CAPTAIN, Provision.NONE))
                        .code());
        assertEquals(2, walls.closed.get());
        assertEquals(new WorkersAnswer(List.of(), List.of()), workers.list());
    }

    @Test
    void shouldMeasureTheWallWhenNothingStartsYet() throws Exception {
        var waiting =
                new SpawnRequest(null, null, new SpawnRequest.AgentConfig("agent", null, List.of(), null), null, true);
        assertEquals(
                FakeWalls.POSTURE,
                workers.spawn("a", waiting, CAPTAIN, Provision.NONE).posture());
        assertEquals(
                FakeWalls.POSTURE, workers.list().workers().getFirst().spawned().posture());
        assertEquals(0, walls.started.size());
        workers.find("a").input(new Message("go", null, null, null));
        assertEquals(List.of("p", "go"), walls.next().command);
        walls.refusal = new BrigException(ErrorCode.POSTURE_NOT_ENFORCED, "own-network");
        assertEquals(
                ErrorCode.POSTURE_NOT_ENFORCED,
                assertThrows(BrigException.class, () -> workers.spawn("b", waiting, CAPTAIN, Provision.NONE))
                        .code());
        assertEquals(1, workers.list().workers().size());
    }

    @Test
    void shouldForgetWorkerWhenLastFrameIsAcknowledged() throws Exception {
        workers.spawn("a", REQUEST, CAPTAIN, Provision.NONE);
        Worker worker = workers.find("a");
        FrameTail frames = new FrameTail(worker.outbox());
        worker.terminate(EndReason.REQUESTED);
        walls.next().exit(0);
        for (String frame = frames.next(); !frame.contains("state=terminated"); frame = frames.next()) {
            assertSame(worker, workers.find("a"));
        }
        worker.ack(worker.outbox().lastSeq());
        assertDisconnected(worker);
        assertFalse(workers.anyAlive());
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(BrigException.class, () -> workers.find("a")).code());
        assertEquals(ErrorCode.SESSION_ENDED, refusal("a").code());
    }

    @Test
    void shouldListAWorkerAsStartingUntilItIsUp() throws Exception {
        walls.mayStart = new CompletableFuture<>();
        CompletableFuture<SpawnAnswer> answer = spawn("a");
        while (walls.built.get() == 0) {
            Thread.onSpinWait();
        }
        assertEquals(new WorkersAnswer(List.of(), List.of("a")), workers.list());
        walls.mayStart.complete(null);
        answer.get(20, TimeUnit.SECONDS);
        assertEquals(List.of(), workers.list().starting());
        assertEquals("a", workers.list().workers().getFirst().spawnId());
    }

    @Test
    void shouldForgetADiscardedWorkerWithoutAnAcknowledgementWhenItHasEnded() throws Exception {
        workers.spawn("a", REQUEST, CAPTAIN, Provision.NONE);
        workers.discard("a", EndReason.REQUESTED);
        walls.next().exit(0);
        while (!workers.list().workers().isEmpty()) {
            Thread.onSpinWait();
        }
        assertEquals(new WorkersAnswer(List.of(), List.of()), workers.list());
        assertEquals(ErrorCode.SESSION_ENDED, refusal("a").code());
    }

    @Test
    void shouldForgetAWorkerThatHasEndedWhenItIsDiscardedThen() throws Exception {
        workers.spawn("a", REQUEST, CAPTAIN, Provision.NONE);
        workers.find("a").terminate(EndReason.REQUESTED);
        walls.next().exit(0);
        while (workers.anyAlive()) {
            Thread.onSpinWait();
        }
        assertTrue(workers.list().workers().getFirst().ended());
        workers.discard("a", EndReason.REQUESTED);
        assertEquals(new WorkersAnswer(List.of(), List.of()), workers.list());
    }

    @Test
    void shouldEndADiscardedWorkerWhenItComesUpLater() throws Exception {
        // Scenario: the gateway that asked has died, and its successor wants nothing of it, while it starts.
        walls.mayStart = new CompletableFuture<>();
        CompletableFuture<SpawnAnswer> answer = spawn("a");
        while (walls.built.get() == 0) {
            Thread.onSpinWait();
        }
        workers.discard("a", EndReason.REQUESTED);
        walls.mayStart.complete(null);
        FakeWalls.FakeProcess process = walls.next();
        while (process.signals.isEmpty()) {
            Thread.onSpinWait();
        }
        process.exit(0);
        answer.get(20, TimeUnit.SECONDS);
        while (!workers.list().workers().isEmpty()) {
            Thread.onSpinWait();
        }
        assertEquals(new WorkersAnswer(List.of(), List.of()), workers.list());
    }

    @Test
    void shouldNotStartAWorkerThatWasDiscardedBeforeItsRequestCame() {
        workers.discard("a", EndReason.REQUESTED);
        assertEquals(ErrorCode.SESSION_ENDED, refusal("a").code());
        assertEquals(0, walls.built.get());
    }

    @Test
    void shouldRememberTheNewestOfThoseThatAreNoMore() throws Exception {
        for (int i = 0; i <= Workers.FORGOTTEN_MAX; i++) {
            workers.discard("w" + i, EndReason.REQUESTED);
        }
        for (int i = 1; i <= Workers.FORGOTTEN_MAX; i++) {
            assertEquals(ErrorCode.SESSION_ENDED, refusal("w" + i).code());
        }
        assertEquals(0, walls.built.get());
        workers.spawn("w0", REQUEST, CAPTAIN, Provision.NONE);
        assertEquals(1, walls.built.get(), "the oldest is forgotten");
    }

    private static SpawnRequest of(String project, String workspace) {
        return new SpawnRequest(
                "task",
                workspace,
                new SpawnRequest.AgentConfig("keeper", null, List.of(), null),
                "go",
                false,
                null,
                SpawnRequest.WorkspaceMode.FOLDER,
                null,
                true,
                new SpawnRequest.Claim(null, SpawnRequest.Claim.LOCAL, project),
                SpawnRequest.Bounds.NONE,
                SpawnRequest.Continuation.NEW,
                null);
    }

    private String homeOf(String spawnId, SpawnRequest request) throws Exception {
        workers.spawn(spawnId, request, CAPTAIN, Provision.NONE);
        boolean own = "/opt/brig/home".equals(walls.lastPlan.environment().get("HOME"));
        List<String> homes = walls.lastPlan.confinement().mounts().stream()
                .filter(mount -> mount.target().toString().equals("/opt/brig/home") && !mount.readOnly())
                .map(mount -> mount.hostPath().toString())
                .toList();
        assertEquals(own ? 1 : 0, homes.size());
        return own ? homes.getFirst() : "none";
    }

    @Test
    void shouldKeepAHomeForEachProjectWhenTheProfileSaysSo() throws Exception {
        Files.writeString(
                folder.resolve("keeper.json"), "{\"description\": \"d\", \"command\": [\"p\"], \"home\": \"project\"}");
        String shop = homeOf("a", of("shop", null));
        assertTrue(
                shop.startsWith(folder.resolve("workspaces/.brig-homes/keeper-").toString()), shop);
        assertEquals(shop, homeOf("b", of("shop", folder.resolve("w").toString())));
        assertFalse(shop.equals(homeOf("c", of("bank", null))));
        assertFalse(shop.equals(homeOf("d", of("", folder.resolve("w").toString()))));
        assertEquals("none", homeOf("e", of("", null)));
        BrigException refused =
                assertThrows(BrigException.class, () -> workers.spawn("f", of("", shop), CAPTAIN, Provision.NONE));
        assertEquals(ErrorCode.WORKSPACE_OUTSIDE_BASE, refused.code());
    }

    @Test
    void shouldLetInNoMoreVariablesThanTheCaptainNames() throws Exception {
        SpawnRequest narrow = new SpawnRequest(
                "task",
                null,
                new SpawnRequest.AgentConfig("agent", null, List.of(), null),
                "go",
                false,
                null,
                SpawnRequest.WorkspaceMode.FOLDER,
                null,
                true,
                SpawnRequest.Claim.NONE,
                new SpawnRequest.Bounds(List.of("LANG", "SECRET"), 0, 0),
                SpawnRequest.Continuation.NEW,
                null);
        workers.spawn("a", REQUEST, CAPTAIN, Provision.NONE);
        assertTrue(walls.lastPlan.confinement().variables().size() > 1);
        workers.spawn("b", narrow, CAPTAIN, Provision.NONE);
        assertEquals(Set.of("LANG"), walls.lastPlan.confinement().variables());
    }

    @Test
    void shouldRefuseNewAndEndAllWhenShutDown() throws Exception {
        workers.spawn("a", REQUEST, CAPTAIN, Provision.NONE);
        Worker worker = workers.find("a");
        CompletableFuture<Void> down = CompletableFuture.runAsync(() -> {
            try {
                workers.shutdown();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        walls.next().exit(0);
        down.get(20, TimeUnit.SECONDS);
        assertFalse(workers.anyAlive());
        assertDisconnected(worker);
        assertEquals(ErrorCode.SHUTTING_DOWN, refusal("b").code());
    }

    private static SpawnRequest asking(String agent, String policy, String workspace) {
        return new SpawnRequest(
                null,
                workspace,
                new SpawnRequest.AgentConfig(agent, null, List.of(), null),
                "go",
                false,
                policy,
                SpawnRequest.WorkspaceMode.FOLDER,
                null,
                true,
                SpawnRequest.Claim.NONE,
                SpawnRequest.Bounds.NONE,
                SpawnRequest.Continuation.NEW,
                null);
    }

    private ErrorCode refused(SpawnRequest request) {
        return assertThrows(BrigException.class, () -> workers.check(request, CAPTAIN, false))
                .code();
    }

    @Test
    void shouldSayWhatItWouldRefuseAndMakeNothing() {
        workers.check(REQUEST, CAPTAIN, false);
        workers.check(asking("agent", null, "/workspaces/x"), CAPTAIN, false);
        assertEquals(ErrorCode.UNKNOWN_AGENT, refused(asking("nobody", null, null)));
        assertEquals(ErrorCode.UNKNOWN_POLICY, refused(asking("agent", "open", null)));
        assertEquals(ErrorCode.WORKSPACE_OUTSIDE_BASE, refused(asking("agent", null, "/etc")));
        assertEquals(0, walls.built.get());
        assertFalse(Files.exists(folder.resolve("workspaces")));
    }

    @Test
    void shouldStartNoMoreThanItsRateAllowsAndNotCountRepetitions() throws Exception {
        open(2);
        workers.spawn("a", REQUEST, CAPTAIN, Provision.NONE);
        workers.spawn("a", REQUEST, CAPTAIN, Provision.NONE);
        workers.spawn("b", REQUEST, CAPTAIN, Provision.NONE);
        assertEquals(ErrorCode.PROVIDER_RATE_LIMITED, refusal("c").code());
        assertEquals(ErrorCode.PROVIDER_RATE_LIMITED, refused(REQUEST));
        assertEquals(2, walls.built.get());
        assertEquals(List.of(), workers.list().starting());
    }

    @Test
    void shouldRefuseOneMoreThanItHasRoomForBeforeAnythingIsMade() throws Exception {
        for (int i = 0; i < WORKERS_MAX; i++) {
            workers.spawn("w" + i, REQUEST, CAPTAIN, Provision.NONE);
        }
        assertEquals(ErrorCode.MAX_WORKERS, refused(REQUEST), "a check says so before anything is promised");
        assertEquals(ErrorCode.MAX_WORKERS, refusal("one-more").code());
        assertEquals(WORKERS_MAX, walls.built.get());
        workers.spawn("w0", REQUEST, CAPTAIN, Provision.NONE);
    }

    /** No workspace of these tests is looked at. */
    private static final class NoTools implements ToolWall {
        @Override
        public <T> Said<T> run(Job job, byte[] input, Output<T> output) {
            throw new AssertionError(job);
        }

        @Override
        public String bounds() {
            return "nothing";
        }
    }
}
