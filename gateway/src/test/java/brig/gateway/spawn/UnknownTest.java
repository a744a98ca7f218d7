package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.stream.RecordingSink;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.SpawnState;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What nobody can account for: how it becomes known again, and what happens where it does not. */
class UnknownTest {
    private static final String RUNNING = "{\"type\":\"state\",\"seq\":1,\"ts\":1,\"state\":\"running\"}\n";
    private static final String CHUNK = "{\"type\":\"chunk\",\"seq\":2,\"ts\":1,\"content\":\"hi\"}\n";
    private static final String DONE =
            "{\"type\":\"done\",\"seq\":3,\"ts\":1,\"exit_code\":3,\"signal\":\"SIGTERM\"}\n";
    private static final String TERMINATED = "{\"type\":\"state\",\"seq\":4,\"ts\":1,\"state\":\"terminated\"}\n";

    private final SpawnBench bench = new SpawnBench();

    /** A spawn that was given up, with two frames. */
    private Spawn givenUp() {
        Spawn spawn = bench.run("fix");
        bench.send(spawn, RUNNING + CHUNK);
        bench.spawner.handleDown(null);
        bench.pass(Reconciler.UNKNOWN_MS);
        return spawn;
    }

    private static BrigException refusal(CompletableFuture<?> failed) {
        return SpawnBench.refusal(failed);
    }

    @Test
    void shouldDoubtWhatRunsWhileTheWorkerAgentIsOutOfReachAndNoLonger() {
        Spawn spawn = bench.run("fix");
        bench.spawner.handleDown(null);
        bench.spawner.handleDown(null);
        bench.loop.run();
        assertEquals(SpawnState.UNKNOWN, spawn.state());
        assertEquals(List.of("REQUESTED", "SPAWNING", "RUNNING", "UNKNOWN"), bench.recorded(spawn.spawnId()));
        bench.reconcile(spawn.spawnId());
        assertEquals(SpawnState.RUNNING, spawn.state());
        bench.pass(2 * Reconciler.UNKNOWN_MS);
        assertEquals(SpawnState.RUNNING, spawn.state(), "the deadline is forgotten");
        assertEquals(1, bench.workers.streams.size());
    }

    @Test
    void shouldGiveUpAfterTwoMinutesAndSayWhatCanBeDone() {
        Spawn spawn = bench.run("fix");
        RecordingSink captain = new RecordingSink();
        spawn.log().subscribe(1, true, null, 0, captain);
        bench.send(spawn, RUNNING);
        bench.spawner.handleDown(null);
        bench.pass(Reconciler.UNKNOWN_MS - 1);
        assertEquals(SpawnState.UNKNOWN, spawn.state());
        bench.pass(1);

        assertEquals(SpawnState.FAILED, spawn.state());
        String error = String.valueOf(spawn.view().lastError());
        assertTrue(error.startsWith("RECONCILE_TIMEOUT: "), error);
        assertTrue(error.contains("'brig rebind " + spawn.spawnId() + "'"), error);
        assertTrue(error.contains("'brig terminate " + spawn.spawnId() + "'"), error);
        assertNotNull(spawn.view().givenUp());
        assertNull(spawn.view().givenUp().providerRuntimeAlive(), "nobody can say");
        assertTrue(captain.text().contains("\"code\":\"RECONCILE_TIMEOUT\""), captain.text());
        assertTrue(
                captain.text().lines().toList().getLast().contains("\"reason\":\"reconcile_timeout\""), captain.text());
        assertTrue(captain.isEnded());
        assertFalse(captain.text().contains("\"done\""), "how its process ended nobody knows");
        assertEquals("0/0", bench.slots());
    }

    @Test
    void shouldCountTheTimeAnewWhenItIsDoubtedAgain() {
        Spawn spawn = bench.run("fix");
        bench.spawner.handleDown(null);
        bench.pass(Reconciler.UNKNOWN_MS - 1);
        bench.reconcile(spawn.spawnId());
        bench.spawner.handleDown(null);
        bench.pass(Reconciler.UNKNOWN_MS - 1);
        assertEquals(SpawnState.UNKNOWN, spawn.state());
        bench.pass(1);
        assertEquals(SpawnState.FAILED, spawn.state());
    }

    @Test
    void shouldLeaveWhatEndedWhileItWasUnknownAsItIs() {
        Spawn spawn = bench.run("fix");
        bench.spawner.handleDown(null);
        bench.send(spawn, RUNNING + CHUNK + DONE + TERMINATED);
        assertEquals(SpawnState.TERMINATED, spawn.state(), "its own link is not the worker-agent's");
        bench.pass(Reconciler.UNKNOWN_MS);
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertFalse(spawn.isGivenUp());
    }

    @Test
    void shouldLeaveAStartToItsAnswerButDoubtOneOfTheProcessBefore() {
        var _ = bench.ask("fix", SpawnBench.CAPTAIN);
        bench.spawner.handleDown(null);
        assertEquals(SpawnState.SPAWNING, bench.spawns.find("fix").orElseThrow().state());

        SpawnBench after = SpawnBench.restarted(bench);
        after.spawner.handleDown(null);
        assertEquals(SpawnState.UNKNOWN, after.spawns.find("fix").orElseThrow().state());
    }

    @Test
    void shouldEndAWorkerOnItsWayThatNobodyWants() {
        bench.reconcile(Set.of("spn_stranger"));
        assertEquals(List.of("abandon spn_stranger"), bench.story);
    }

    @Test
    void shouldCountTheTimeFromItsStartWhenTheGatewayRestarted() {
        Spawn before = bench.run("fix");
        bench.spawner.handleDown(null);
        bench.loop.run();
        SpawnBench after = SpawnBench.restarted(bench);
        Spawn spawn = after.spawns.find("fix").orElseThrow();
        assertEquals(SpawnState.UNKNOWN, spawn.state());
        after.pass(Reconciler.UNKNOWN_MS);
        assertEquals(SpawnState.FAILED, spawn.state());
        assertEquals(before.spawnId(), spawn.spawnId());
    }

    @Test
    void shouldLeaveTheWorkerOfAGivenUpSpawnToTheOperator() {
        Spawn spawn = givenUp();
        bench.story.clear();
        bench.reconcile(spawn.spawnId());
        assertEquals(List.of(), bench.story, "it is not ended as a stranger");
        assertEquals(true, spawn.view().givenUp().providerRuntimeAlive());

        SpawnBench after = SpawnBench.restarted(bench);
        assertEquals(
                true, after.spawns.find("fix").orElseThrow().view().givenUp().providerRuntimeAlive());
        var _ = after.spawner.terminate(after.spawns.find("fix").orElseThrow(), "requested", "uid:0");
        assertEquals(List.of("door lingers, state FAILED", "abandon " + spawn.spawnId()), after.story);
        assertEquals(
                false, after.spawns.find("fix").orElseThrow().view().givenUp().providerRuntimeAlive());
    }

    @Test
    void shouldGoOnAsANewSpawnWhenAGivenUpOneIsReboundToItsWorker() {
        Spawn old = givenUp();
        CompletableFuture<Spawn> rebound = bench.spawner.rebind(old).toCompletableFuture();
        bench.list(Set.of(), old.spawnId());

        Spawn spawn = rebound.join();
        assertEquals(SpawnState.FAILED, old.state(), "what is over stays over");
        assertEquals(SpawnState.RUNNING, spawn.state());
        assertEquals("fix", spawn.taskId());
        assertEquals(spawn, bench.spawns.find("fix").orElseThrow());
        assertEquals(old.hashes(), spawn.hashes(), "captains keep their tokens");
        assertEquals("1/1", bench.slots());
        assertEquals(3, bench.stream(old).nextSeq, "the worker's own numbers go on");
        bench.reconcile(old.spawnId());
        assertEquals(SpawnState.RUNNING, spawn.state(), "its worker has the name of the first spawn");

        RecordingSink captain = new RecordingSink();
        spawn.log().subscribe(1, true, null, 0, captain).drain();
        bench.stream(old).send(DONE + TERMINATED);
        bench.loop.run();
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertTrue(captain.text().endsWith(DONE + TERMINATED), captain.text());
        assertEquals(List.of("RUNNING", "RUNNING", "TERMINATED"), bench.recorded(spawn.spawnId()));
    }

    @Test
    void shouldTakeUpTheRightWorkerAgainWhenTheGatewayRestartsAfterARebind() {
        Spawn old = givenUp();
        CompletableFuture<Spawn> rebound = bench.spawner.rebind(old).toCompletableFuture();
        bench.list(Set.of(), old.spawnId());
        SpawnBench after = SpawnBench.restarted(bench);
        after.reconcile(old.spawnId());
        Spawn spawn = after.spawns.find(rebound.join().spawnId()).orElseThrow();
        assertEquals(SpawnState.RUNNING, spawn.state());
        assertFalse(after.story.toString().contains("abandon"), after.story::toString);
    }

    @Test
    void shouldRefuseToRebindWhatHasEndedOrIsGone() {
        Spawn old = givenUp();
        CompletableFuture<Spawn> gone = bench.spawner.rebind(old).toCompletableFuture();
        bench.list(Set.of());
        assertEquals(ErrorCode.WORKER_LOST, refusal(gone).code());
        assertEquals(false, old.view().givenUp().providerRuntimeAlive());

        Spawn ended = bench.run("other");
        bench.send(ended, RUNNING + CHUNK + DONE + TERMINATED);
        assertEquals(
                ErrorCode.SESSION_ENDED,
                refusal(bench.spawner.rebind(ended).toCompletableFuture()).code());
    }

    @Test
    void shouldRefuseToRebindWhenItsTaskRunsAgain() {
        Spawn old = givenUp();
        CompletableFuture<Spawn> first = bench.spawner.rebind(old).toCompletableFuture();
        bench.list(Set.of(), old.spawnId());
        CompletableFuture<Spawn> second = bench.spawner.rebind(old).toCompletableFuture();
        assertEquals("fix", first.join().taskId());
        assertEquals(ErrorCode.TASK_ID_IN_USE, refusal(second).code());
        assertEquals("1/1", bench.slots());
    }

    @Test
    void shouldAskTheWorkerAgentAgainWhenALiveSpawnIsRebound() {
        Spawn spawn = bench.run("fix");
        bench.spawner.handleDown(null);
        CompletableFuture<Spawn> rebound = bench.spawner.rebind(spawn).toCompletableFuture();
        bench.list(Set.of(), spawn.spawnId());
        assertEquals(spawn, rebound.join());
        assertEquals(SpawnState.RUNNING, spawn.state());
    }

    @Test
    void shouldFindOutWhatBecameOfAWorkerWhenTheAnswerWasLost() {
        // Scenario: the worker-agent is asked, and its link breaks before it answers; the worker is there.
        CompletableFuture<GrantedSpawn> granted = bench.ask("fix", SpawnBench.CAPTAIN);
        Spawn spawn = bench.spawns.find("fix").orElseThrow();
        bench.workers.asked.get(spawn.spawnId()).completeExceptionally(new WorkerAgent.UnansweredException());
        bench.loop.run();
        assertEquals(SpawnState.UNKNOWN, spawn.state());
        assertFalse(granted.isDone(), "the caller waits for the truth");
        assertFalse(spawn.isAttachable());
        bench.reconcile(spawn.spawnId());
        assertEquals(spawn.spawnId(), granted.join().spawnId());
        assertEquals("/workspaces/" + spawn.spawnId(), granted.join().workspace());
        assertEquals(SpawnState.RUNNING, spawn.state());
    }

    @Test
    void shouldFailAStartOnlyWhenTheWorkerAgentPromisedThatNoneWillCome() {
        CompletableFuture<GrantedSpawn> granted = bench.ask("fix", SpawnBench.CAPTAIN);
        Spawn spawn = bench.spawns.find("fix").orElseThrow();
        bench.workers.asked.get(spawn.spawnId()).completeExceptionally(new WorkerAgent.UnansweredException());
        bench.workers.abandoning = new CompletableFuture<>();
        bench.workers.listing = new CompletableFuture<>();
        bench.loop.run();
        bench.pass(1_000);
        bench.list(Set.of());
        assertEquals(SpawnState.UNKNOWN, spawn.state());
        assertEquals("abandon " + spawn.spawnId(), bench.story.getLast());
        bench.workers.abandoning.complete(null);
        bench.loop.run();
        assertEquals(SpawnState.FAILED, spawn.state());
        assertEquals(ErrorCode.WORKER_AGENT_UNAVAILABLE, refusal(granted).code());
        assertEquals("0/0", bench.slots());
    }

    @Test
    void shouldLookAgainWhileAWorkerIsOnItsWay() {
        var _ = bench.ask("fix", SpawnBench.CAPTAIN);
        Spawn before = bench.spawns.find("fix").orElseThrow();
        SpawnBench after = SpawnBench.restarted(bench);
        after.reconcile(Set.of(before.spawnId()));
        Spawn spawn = after.spawns.find("fix").orElseThrow();
        assertEquals(SpawnState.SPAWNING, spawn.state());
        assertEquals(List.of(), after.story);
        after.workers.listing = new CompletableFuture<>();
        after.pass(1_000);
        after.list(Set.of(), before.spawnId());
        assertEquals(SpawnState.RUNNING, spawn.state());
    }

    @Test
    void shouldAskAgainWhenTheWorkerAgentDidNotSayWhatItHas() {
        var _ = bench.ask("fix", SpawnBench.CAPTAIN);
        Spawn before = bench.spawns.find("fix").orElseThrow();
        SpawnBench after = SpawnBench.restarted(bench);
        after.reconcile(Set.of(before.spawnId()));
        after.workers.listing = CompletableFuture.failedFuture(new WorkerAgent.UnansweredException());
        after.pass(1_000);
        after.workers.listing = new CompletableFuture<>();
        after.pass(1_000);
        after.list(Set.of(), before.spawnId());
        assertEquals(SpawnState.RUNNING, after.spawns.find("fix").orElseThrow().state());
    }

    @Test
    void shouldEndAWorkerWhoseEndWasWantedWhileItWasUnknown() {
        Spawn spawn = bench.run("fix");
        bench.spawner.handleDown(null);
        bench.workers.terminating = CompletableFuture.failedFuture(new WorkerAgent.UnansweredException());
        CompletableFuture<Void> ended =
                bench.spawner.terminate(spawn, "requested", "uid:0").toCompletableFuture();
        assertFalse(ended.isCompletedExceptionally(), "it is noted");
        bench.story.clear();
        bench.workers.terminating = CompletableFuture.completedFuture(null);
        bench.reconcile(spawn.spawnId());
        assertEquals(List.of("terminate " + spawn.spawnId() + " requested"), bench.story);
    }

    @Test
    void shouldKeepTheTrueExitWhenAWorkerEndedWhileTheGatewayWasDown() {
        Spawn before = bench.run("fix");
        bench.send(before, RUNNING + CHUNK);
        SpawnBench after = SpawnBench.restarted(bench);
        after.reconcile(before.spawnId());
        Spawn spawn = after.spawns.find("fix").orElseThrow();
        after.send(spawn, DONE + TERMINATED);
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertEquals(
                "Exit[exitCode=3, signal=SIGTERM, reason=null]",
                String.valueOf(spawn.view().exit()));
        assertEquals(
                "{\"exit_code\":3,\"signal\":\"SIGTERM\"}",
                after.store.saved().getLast().course().exit());
    }

    @Test
    void shouldReadTheExitFromTheRecordWhenOnlyThatHasIt() {
        Spawn before = bench.run("fix");
        bench.send(before, RUNNING + CHUNK + TERMINATED.replace('4', '3'));
        bench.store.saved().removeLast();
        bench.endStored = true;
        SpawnBench after = SpawnBench.restarted(bench);
        assertEquals(
                "Exit[exitCode=7, signal=null, reason=null]",
                String.valueOf(after.spawns.find("fix").orElseThrow().view().exit()));
    }
}
