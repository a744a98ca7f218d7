package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.limits.Admission;
import brig.gateway.stream.RecordingSink;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.SpawnState;
import brig.protocol.spawn.SpawnRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Starts and ends; what happens after a restart is in {@link ReconcileTest}. */
class SpawnerTest {
    private static final String RUNNING = "{\"type\":\"state\",\"seq\":1,\"ts\":1,\"state\":\"running\"}\n";
    private static final String CHUNK = "{\"type\":\"chunk\",\"seq\":2,\"ts\":1,\"content\":\"hi\"}\n";
    private static final String TERMINATED =
            "{\"type\":\"state\",\"seq\":3,\"ts\":1,\"state\":\"terminated\",\"reason\":\"once\"}\n";

    private final SpawnBench bench = new SpawnBench();

    private Spawn only() {
        assertEquals(1, bench.spawns.all().size());
        return bench.spawns.all().getFirst();
    }

    @Test
    void shouldRecordBeforeTheDoorAndOpenTheDoorBeforeTheWorkerWhenASpawnStarts() {
        GrantedSpawn granted = bench.start("fix");
        Spawn spawn = bench.spawn(granted);

        assertEquals(
                List.of("door, state REQUESTED, recorded [REQUESTED]", "spawn", "follow " + spawn.spawnId()),
                bench.story);
        assertEquals(List.of("REQUESTED", "SPAWNING", "RUNNING"), bench.recorded(spawn.spawnId()));
        assertEquals(SpawnState.RUNNING, spawn.state());
        assertEquals(
                "/workspaces/" + spawn.spawnId(),
                bench.store.saved().getLast().course().workspace());
        assertEquals("/run/io.sock", granted.ioSocket());
        assertEquals(1, bench.stream(spawn).nextSeq);
    }

    @Test
    void shouldKeepNeitherTokensNorThePromptWhenItRecords() {
        GrantedSpawn granted = bench.start("fix");
        String recorded = bench.store.saved().toString();
        assertFalse(recorded.contains(granted.captainToken()));
        assertFalse(recorded.contains(granted.watcherToken()));
        assertFalse(recorded.contains("a secret prompt"));
        assertTrue(recorded.contains(Ids.hashToken(granted.captainToken())));
        assertEquals(
                "a secret prompt",
                bench.workers.requests.values().iterator().next().prompt());
        assertTrue(bench.spawn(granted).isCaptainToken(granted.captainToken()));
        assertTrue(bench.spawn(granted).isWatcherToken(granted.watcherToken()));
        assertFalse(bench.spawn(granted).isCaptainToken(granted.watcherToken()));
        assertFalse(bench.spawn(granted).isWatcherToken(granted.captainToken()));
    }

    @Test
    void shouldNameTheTaskAfterTheSpawnWhenTheCaptainGaveNoName() {
        var _ = bench.ask(null, SpawnBench.CAPTAIN);
        assertEquals(only().spawnId(), only().taskId());
    }

    @Test
    void shouldNameTheSpawnAtOnceAndSayWhereItWorksWhenItRuns() {
        AcceptedSpawn accepted = SpawnBench.now(bench.begin(SpawnBench.request("fix"), SpawnBench.CAPTAIN));
        assertEquals(only().spawnId(), accepted.spawnId());
        assertEquals("fix", accepted.taskId());
        assertEquals("/run/io.sock", accepted.ioSocket());
        assertTrue(only().isCaptainToken(accepted.captainToken()) && only().isWatcherToken(accepted.watcherToken()));
        CompletableFuture<GrantedSpawn> granted = accepted.running().toCompletableFuture();
        assertFalse(granted.isDone());
        assertEquals(SpawnState.SPAWNING, only().state());
        assertFalse(only().isAttachable());
        bench.started(only().spawnId());
        assertTrue(granted.isDone());
        assertTrue(only().isAttachable());
    }

    @Test
    void shouldRefuseAndCostNothingWhenTheCaptainHasAllItsWorkers() {
        bench.start("a");
        bench.start("b");
        int saved = bench.store.saved().size();
        BrigException refusal = SpawnBench.refusal(bench.ask("c", SpawnBench.CAPTAIN));

        assertEquals(ErrorCode.MAX_WORKERS_PER_CAPTAIN, refusal.code());
        assertTrue(refusal.retryAfterSeconds().isPresent());
        assertEquals("2/2", bench.slots());
        assertEquals(saved, bench.store.saved().size());
        assertEquals(2, bench.spawns.all().size());
        assertFalse(bench.ask("c", "uid:7").isCompletedExceptionally(), "another captain has a place");
        assertEquals("3/2", bench.slots());
    }

    @Test
    void shouldRefuseAndCostNothingWhenAllWorkersAreInUse() {
        bench.start("a");
        var _ = bench.ask("b", "uid:1");
        var _ = bench.ask("c", "uid:2");
        BrigException refusal = SpawnBench.refusal(bench.ask("d", SpawnBench.CAPTAIN));
        assertEquals(ErrorCode.MAX_WORKERS, refusal.code());
        assertEquals("3/1", bench.slots());
    }

    @Test
    void shouldRefuseUntilTheCooldownHasPassed() {
        SpawnBench slow = new SpawnBench(2_500);
        slow.start("a");
        slow.nowMs += 400;
        BrigException refusal = SpawnBench.refusal(slow.ask("b", SpawnBench.CAPTAIN));
        assertEquals(ErrorCode.COOLDOWN, refusal.code());
        assertEquals(3, refusal.retryAfterSeconds().orElseThrow(), "2.1 s, rounded up");
        assertEquals("1/1", slow.slots());
        slow.nowMs += 2_100;
        assertFalse(slow.ask("b", SpawnBench.CAPTAIN).isCompletedExceptionally());
    }

    @Test
    void shouldNotBeginACooldownWhenTheSpawnWasRefused() {
        SpawnBench slow = new SpawnBench(2_500);
        for (String captain : List.of("uid:1", "uid:2", "uid:3")) {
            var _ = slow.ask(captain.replace(':', '-'), captain);
        }
        assertEquals(
                ErrorCode.MAX_WORKERS,
                SpawnBench.refusal(slow.ask("x", SpawnBench.CAPTAIN)).code());
        assertEquals(
                ErrorCode.MAX_WORKERS,
                SpawnBench.refusal(slow.ask("x", SpawnBench.CAPTAIN)).code());
    }

    @Test
    void shouldRefuseATaskIdWhileItsSpawnLives() {
        Spawn first = bench.run("fix");
        assertEquals(
                ErrorCode.TASK_ID_IN_USE,
                SpawnBench.refusal(bench.ask("fix", "uid:7")).code());
        assertEquals("1/1", bench.slots());

        bench.send(first, RUNNING + CHUNK + TERMINATED);
        assertFalse(bench.ask("fix", "uid:7").isCompletedExceptionally());
    }

    @Test
    void shouldRefuseWhenTheGatewayIsShuttingDown() {
        bench.admission.close();
        assertEquals(
                ErrorCode.SHUTTING_DOWN,
                SpawnBench.refusal(bench.ask("fix", SpawnBench.CAPTAIN)).code());
        assertEquals("0/0", bench.slots());
    }

    @Test
    void shouldGiveBackItsLeasesOnceWhenTheWorkerAgentRefuses() {
        bench.start("other");
        CompletableFuture<GrantedSpawn> granted = bench.ask("fix", SpawnBench.CAPTAIN);
        Spawn spawn = bench.spawns.find("fix").orElseThrow();
        bench.workers
                .asked
                .get(spawn.spawnId())
                .completeExceptionally(new BrigException(ErrorCode.SANDBOX_UNAVAILABLE, "no bwrap"));
        bench.loop.run();

        assertEquals(ErrorCode.SANDBOX_UNAVAILABLE, SpawnBench.refusal(granted).code());
        assertFailed(spawn, "SANDBOX_UNAVAILABLE: no bwrap");
        assertEquals("1/1", bench.slots());
        assertEquals(List.of("REQUESTED", "SPAWNING", "FAILED"), bench.recorded(spawn.spawnId()));
        assertEquals("door closed", bench.story.getLast());
    }

    private void assertFailed(Spawn spawn, String why) {
        assertEquals(SpawnState.FAILED, spawn.state());
        assertEquals(why, spawn.view().lastError());
        assertFalse(bench.spawns.isLive(spawn.taskId()));
        assertTrue(spawn.log().isEnded());
        assertEquals(why, bench.store.saved().getLast().course().lastError());
    }

    @Test
    void shouldGiveBackItsLeasesAndStartNothingWhenTheSocketCannotBeBound() {
        bench.listeners = CompletableFuture.failedFuture(new BrigException(ErrorCode.INVALID_FIELD, "too long"));
        CompletableFuture<GrantedSpawn> granted = bench.ask("fix", SpawnBench.CAPTAIN);
        assertEquals(ErrorCode.INVALID_FIELD, SpawnBench.refusal(granted).code());
        assertFailed(only(), "INVALID_FIELD: too long");
        assertEquals("0/0", bench.slots());
        assertFalse(bench.story.contains("spawn"));
    }

    @Test
    void shouldGiveBackItsLeasesAndStartNothingWhenItCannotBeRecorded() {
        bench.store.setBroken(true);
        CompletableFuture<GrantedSpawn> granted = bench.ask("fix", SpawnBench.CAPTAIN);
        assertTrue(granted.isCompletedExceptionally());
        assertEquals("0/0", bench.slots());
        assertEquals(SpawnState.FAILED, only().state());
        assertEquals(List.of("door closed"), bench.story);
        assertFalse(bench.spawns.isLive("fix"));
    }

    @Test
    void shouldGiveBackItsLeasesOnceWhenTheWorkerEnds() {
        Spawn spawn = bench.run("fix");
        bench.start("other");
        RecordingSink captain = new RecordingSink();
        spawn.log().subscribe(1, true, null, 0, captain);
        bench.send(spawn, RUNNING + CHUNK + TERMINATED);
        // It comes again, as after a reconnect.
        bench.send(spawn, TERMINATED);

        assertEquals("1/1", bench.slots());
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertEquals(RUNNING + CHUNK + TERMINATED, captain.text());
        assertTrue(captain.isEnded());
        assertEquals(3, bench.archives.get(spawn.spawnId()).frames());
        assertTrue(bench.archives.get(spawn.spawnId()).isClosed());
        assertEquals(List.of("ack 3"), bench.said(spawn));
        assertTrue(bench.stream(spawn).closed);
        assertEquals(1, bench.story.stream().filter("door closed"::equals).count());
        assertEquals(List.of("REQUESTED", "SPAWNING", "RUNNING", "TERMINATED"), bench.recorded(spawn.spawnId()));
        assertEquals(0, bench.budget.bytes(), "its memory is free");
        assertEquals(spawn, bench.spawns.find("fix").orElseThrow(), "it can still be named");
    }

    @Test
    void shouldGoOnWhenTheWorkerAgentSendsALineThatIsNoFrame() {
        Spawn spawn = bench.run("fix");
        bench.send(spawn, RUNNING + "{\"type\":\"chunk\"}\n" + "nonsense\n" + CHUNK);
        assertEquals(2, spawn.log().lastSeq());
        assertEquals(SpawnState.RUNNING, spawn.state());
    }

    @Test
    void shouldAskTheWorkerAgentWhenASpawnIsTerminatedAndNothingWhenItHasEnded() {
        Spawn spawn = bench.run("fix");
        bench.spawner
                .terminate(spawn, "requested", "uid:0")
                .toCompletableFuture()
                .join();
        assertEquals("terminate " + spawn.spawnId() + " requested", bench.story.getLast());
        assertEquals(SpawnState.RUNNING, spawn.state(), "its end shows in its frames");

        bench.send(spawn, RUNNING + CHUNK + TERMINATED);
        int before = bench.story.size();
        bench.spawner
                .terminate(spawn, "requested", "uid:0")
                .toCompletableFuture()
                .join();
        assertEquals(before, bench.story.size());
    }

    @Test
    void shouldBindASessionIdOnceAndToOneSpawn() {
        Spawn spawn = bench.run("fix");
        Spawn other = bench.run("other");
        bench.spawner.bindSession(spawn, "ses_x");
        bench.spawner.bindSession(spawn, "ses_x");
        bench.loop.run();
        assertEquals(spawn, bench.spawns.find("ses_x").orElseThrow());
        assertEquals("ses_x", spawn.view().sessionId());
        assertEquals("ses_x", bench.store.saved().getLast().sessionId());
        assertEquals(
                ErrorCode.INVALID_FIELD,
                assertThrows(BrigException.class, () -> bench.spawner.bindSession(other, "ses_x"))
                        .code());
        assertEquals(
                ErrorCode.INVALID_FIELD,
                assertThrows(BrigException.class, () -> bench.spawner.bindSession(spawn, "ses_y"))
                        .code());
        SpawnBench after = SpawnBench.restarted(bench);
        assertEquals(spawn.spawnId(), after.spawns.find("ses_x").orElseThrow().spawnId());
    }

    @Test
    void shouldNameTheNewestSpawnThatWentOnWithASession() {
        Spawn first = bench.run("first");
        bench.spawner.bindSession(first, "ses_x");
        bench.send(first, RUNNING + CHUNK + TERMINATED);
        Spawn second = bench.run("second");
        bench.spawner.bindSession(second, "ses_x");
        bench.loop.run();
        assertEquals(second, bench.spawns.find("ses_x").orElseThrow());
        assertEquals("TERMINATED", bench.recorded(first.spawnId()).getLast());
        SpawnBench after = SpawnBench.restarted(bench);
        assertEquals(second.spawnId(), after.spawns.find("ses_x").orElseThrow().spawnId());
    }

    private static BrigException limited() {
        return new BrigException(ErrorCode.PROVIDER_RATE_LIMITED, "worker.startsPerSecondMax (1) is reached", 1);
    }

    @Test
    void shouldStartALittleLaterWhatWasAcceptedAndCouldNotStartAtOnce() {
        CompletableFuture<GrantedSpawn> granted = bench.ask("fix", SpawnBench.CAPTAIN);
        String id = bench.spawns.find("fix").orElseThrow().spawnId();
        bench.workers.asked.get(id).completeExceptionally(limited());
        bench.loop.run();
        assertFalse(granted.isDone());
        bench.pass(250);
        bench.started(id);
        assertEquals(
                "/workspaces/" + id, bench.spawns.find(id).orElseThrow().view().workspace());
        assertEquals(id, granted.join().spawnId());
    }

    @Test
    void shouldFailWithTheLimitWhenWhatWasAcceptedCannotStartForTooLong() {
        CompletableFuture<GrantedSpawn> granted = bench.ask("fix", SpawnBench.CAPTAIN);
        String id = bench.spawns.find("fix").orElseThrow().spawnId();
        for (int tries = 0; !granted.isDone(); tries++) {
            assertTrue(tries < 200, "it is bounded");
            bench.workers.asked.get(id).completeExceptionally(limited());
            bench.pass(250);
        }
        assertEquals(
                ErrorCode.PROVIDER_RATE_LIMITED, SpawnBench.refusal(granted).code());
        assertEquals("0/0", bench.slots());
    }

    @Test
    void shouldWaitUntilTheWorkerAgentStartsMoreAsLongAsWasAskedFor() {
        Admission.Applicant patient =
                new Admission.Applicant(new SpawnRequest.Asker(SpawnBench.CAPTAIN, true), 1_000, () -> false);
        bench.workers.checking = CompletableFuture.failedFuture(limited());
        CompletableFuture<AcceptedSpawn> accepted =
                bench.spawner.spawn(SpawnBench.request("fix"), patient).toCompletableFuture();
        bench.pass(250);
        assertFalse(accepted.isDone());
        bench.workers.checking = CompletableFuture.completedFuture(null);
        bench.pass(250);
        assertEquals("fix", accepted.join().taskId());

        bench.workers.checking = CompletableFuture.failedFuture(limited());
        CompletableFuture<AcceptedSpawn> inVain =
                bench.spawner.spawn(SpawnBench.request("other"), patient).toCompletableFuture();
        for (int i = 0; i < 5; i++) {
            bench.pass(250);
        }
        assertEquals(ErrorCode.PROVIDER_RATE_LIMITED, SpawnBench.refusal(inVain).code());
        assertEquals(
                ErrorCode.PROVIDER_RATE_LIMITED,
                SpawnBench.refusal(bench.ask("at-once", SpawnBench.CAPTAIN)).code());
    }

    @Test
    void shouldSayWhyWhenAnExceptionThatNobodyForesawEndsAStart() {
        bench.listeners = CompletableFuture.failedFuture(new IllegalStateException("unforeseen"));
        CompletableFuture<GrantedSpawn> granted = bench.ask("fix", "admin");
        assertTrue(granted.isCompletedExceptionally());
        assertTrue(String.valueOf(only().view().lastError()).startsWith("INTERNAL: "));
        assertEquals("0/0", bench.slots());
    }

    @Test
    void shouldRefuseAndKeepNothingWhenTheWorkerAgentWouldNotTakeTheRequest() {
        bench.workers.checking = CompletableFuture.failedFuture(new BrigException(ErrorCode.UNKNOWN_AGENT, "no agent"));
        assertEquals(
                ErrorCode.UNKNOWN_AGENT,
                SpawnBench.refusal(bench.ask("fix", SpawnBench.CAPTAIN)).code());
        assertEquals(List.of(), bench.spawns.all());
        assertEquals(List.of(), bench.store.saved());
        assertEquals("0/0", bench.slots());
    }

    @Test
    void shouldSayThatTheProviderIsNotThereWhenItsWorkerAgentIsOutOfReach() {
        bench.workers.checking = CompletableFuture.failedFuture(
                new BrigException(ErrorCode.WORKER_AGENT_UNAVAILABLE, "the worker-agent does not answer", 1));
        BrigException refusal = SpawnBench.refusal(bench.ask("fix", SpawnBench.CAPTAIN));
        assertEquals(ErrorCode.PROVIDER_UNAVAILABLE, refusal.code());
        assertEquals(1, refusal.retryAfterSeconds().orElseThrow());
        assertEquals(List.of(), bench.store.saved());
    }

    @Test
    void shouldSayWhatASpawnFailedWithToWhoWantsToAttach() {
        AcceptedSpawn accepted = SpawnBench.now(bench.begin(SpawnBench.request("fix"), SpawnBench.CAPTAIN));
        assertEquals(ErrorCode.SESSION_NOT_READY, only().notReady().code());
        bench.workers
                .asked
                .get(accepted.spawnId())
                .completeExceptionally(new BrigException(ErrorCode.SANDBOX_UNAVAILABLE, "no bwrap"));
        bench.loop.run();
        assertEquals(ErrorCode.SESSION_ENDED, only().notReady().code());
        assertEquals(
                "the spawn failed: SANDBOX_UNAVAILABLE: no bwrap",
                only().notReady().getMessage());
    }

    @Test
    void shouldNotWaitForAWorkerAgentThatTakesItsTimeToSayWhetherItWould() {
        bench.workers.checking = new CompletableFuture<>();
        CompletableFuture<AcceptedSpawn> accepted = bench.begin(SpawnBench.request("fix"), SpawnBench.CAPTAIN);
        assertFalse(accepted.isDone());
        bench.pass(250);
        assertEquals("fix", accepted.join().taskId());
        assertFalse(bench.workers.checking.isDone());
    }
}
