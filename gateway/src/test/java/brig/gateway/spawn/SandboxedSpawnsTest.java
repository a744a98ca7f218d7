package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.store.SpawnRecord;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.SpawnState;
import brig.protocol.control.Posture;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.spawn.Setup;
import brig.protocol.spawn.SpawnRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Spawns for which a provider makes a sandbox: their states while it does, and what ends them. */
class SandboxedSpawnsTest {
    private static final SpawnAnswer ANSWER =
            new SpawnAnswer("/home/w", new Posture("none", List.of(), List.of(), null));

    private SpawnBench bench = new SpawnBench();

    private static SpawnRequest request(String taskId, String provider, String host) {
        return new SpawnRequest(
                taskId,
                null,
                SpawnBench.request(taskId).agentConfig(),
                null,
                false,
                null,
                SpawnRequest.WorkspaceMode.FOLDER,
                null,
                false,
                new SpawnRequest.Claim(null, provider, ""),
                SpawnRequest.Bounds.NONE,
                SpawnRequest.Continuation.NEW,
                null,
                new SpawnRequest.Place(host, List.of()),
                Setup.NONE);
    }

    private Spawn ask() {
        var _ = bench.ask(request("fix", FakeSandboxes.PROVIDER, null));
        return bench.spawns.find("fix").orElseThrow();
    }

    private FakeSandboxes.Making making(Spawn spawn) {
        return bench.sandboxes.making.get(spawn.spawnId());
    }

    private Spawn run() {
        Spawn spawn = ask();
        making(spawn).ready().complete(null);
        bench.loop.run();
        bench.far.asked.get(spawn.spawnId()).complete(ANSWER);
        bench.loop.run();
        assertEquals(SpawnState.RUNNING, spawn.state());
        return spawn;
    }

    private static BrigException failure(Spawn spawn) {
        return spawn.failure().orElseThrow();
    }

    @Test
    void shouldAskForTheWorkerWhenTheSandboxIsReady() {
        Spawn spawn = ask();
        assertEquals(SpawnState.SPAWNING, spawn.state());
        assertEquals("cloud", spawn.view().provider());
        assertTrue(bench.far.asked.isEmpty());
        making(spawn).ready().complete(null);
        bench.loop.run();
        assertTrue(bench.far.asked.containsKey(spawn.spawnId()));
    }

    @Test
    void shouldBeOnDiskBeforeTheProviderIsAsked() {
        List<SpawnRecord> recorded = new ArrayList<>();
        bench.sandboxes.asked = () -> recorded.addAll(bench.store.saved());
        Spawn spawn = ask();
        SpawnRecord last = recorded.getLast();
        assertEquals("SPAWNING", last.course().state());
        assertEquals("cloud", last.origin().provider());
        assertEquals(spawn.spawnId(), last.spawnId());
    }

    @Test
    void shouldBeUnknownWhileTheAnswerOfTheProviderIsLost() {
        Spawn spawn = ask();
        making(spawn).doubt().accept(true);
        assertEquals(SpawnState.UNKNOWN, spawn.state());
        making(spawn).doubt().accept(false);
        assertEquals(SpawnState.SPAWNING, spawn.state());
    }

    @Test
    void shouldFailWithWhatTheProviderSays() {
        Spawn spawn = ask();
        making(spawn).doubt().accept(true);
        making(spawn).ready().completeExceptionally(new BrigException(ErrorCode.RECONCILE_TIMEOUT, "unknown"));
        bench.loop.run();
        assertEquals(SpawnState.FAILED, spawn.state());
        assertEquals(ErrorCode.RECONCILE_TIMEOUT, failure(spawn).code());
    }

    @Test
    void shouldTellTheProviderThatNobodyWantsItAnyMore() {
        Spawn spawn = ask();
        var _ = bench.spawner.terminate(spawn, "requested", SpawnBench.CAPTAIN);
        assertTrue(making(spawn).unwanted().getAsBoolean());
        assertEquals(SpawnState.SPAWNING, spawn.state());
    }

    @Test
    void shouldEndTheSandboxOfASessionThatIsOutOfReach() {
        Spawn spawn = run();
        bench.spawner.handleDown(SpawnBench.FAR);
        assertEquals(SpawnState.UNREACHABLE, spawn.state());
        CompletableFuture<Void> ended =
                bench.spawner.terminate(spawn, "requested", SpawnBench.CAPTAIN).toCompletableFuture();
        bench.loop.run();
        assertTrue(ended.isDone());
        assertEquals(List.of(spawn.spawnId()), bench.sandboxes.ended);
        assertEquals(SpawnState.TERMINATED, spawn.state());
    }

    @Test
    void shouldEndTheWorkerWhenItsSandboxIsInReachAgain() {
        Spawn spawn = run();
        bench.spawner.handleDown(SpawnBench.FAR);
        bench.sandboxes.recall = new CompletableFuture<>();
        CompletableFuture<Void> ended =
                bench.spawner.terminate(spawn, "requested", SpawnBench.CAPTAIN).toCompletableFuture();
        bench.loop.run();
        assertEquals(SpawnState.UNREACHABLE, spawn.state());
        assertFalse(ended.isDone());

        bench.far.listing.complete(new WorkersAnswer(
                List.of(new WorkersAnswer.WorkerView(spawn.spawnId(), ANSWER, 0, false, false, List.of())), List.of()));
        bench.sandboxes.recall.complete(true);
        bench.loop.run();
        assertTrue(ended.isDone());
        assertEquals("terminate " + spawn.spawnId() + " requested", bench.story.getLast());
        assertEquals(List.of(), bench.sandboxes.ended);
    }

    @Test
    void shouldEndTheSandboxWhenItsWorkerAgentDoesNotAnswer() {
        Spawn spawn = run();
        bench.spawner.handleDown(SpawnBench.FAR);
        bench.sandboxes.recall = CompletableFuture.completedFuture(true);
        bench.far.listing.completeExceptionally(new WorkerAgent.UnansweredException());
        var _ = bench.spawner.terminate(spawn, "requested", SpawnBench.CAPTAIN);
        bench.loop.run();
        assertEquals(List.of(spawn.spawnId()), bench.sandboxes.ended);
        assertEquals(SpawnState.TERMINATED, spawn.state());
    }

    @Test
    void shouldLeaveASessionThatEndedWhileItsSandboxWasWaitedFor() {
        Spawn spawn = run();
        bench.spawner.handleDown(SpawnBench.FAR);
        bench.sandboxes.recall = new CompletableFuture<>();
        CompletableFuture<Void> ended =
                bench.spawner.terminate(spawn, "requested", SpawnBench.CAPTAIN).toCompletableFuture();
        bench.spawner.handleSandboxGone(spawn);
        bench.sandboxes.recall.complete(false);
        bench.loop.run();
        assertTrue(ended.isDone());
        assertEquals(List.of(), bench.sandboxes.ended);
    }

    @Test
    void shouldLoseTheWorkerOfASandboxThatIsGone() {
        Spawn spawn = run();
        bench.spawner.handleSandboxGone(spawn);
        bench.loop.run();
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertTrue(spawn.lastError().startsWith("WORKER_LOST"));
    }

    @Test
    void shouldBeUnknownAfterARestartBeforeItRan() {
        Spawn spawn = ask();
        bench = SpawnBench.restarted(bench);
        Spawn again = bench.spawns.find(spawn.spawnId()).orElseThrow();
        bench.spawner.handleDown(SpawnBench.FAR);
        assertEquals(SpawnState.UNKNOWN, again.state());
        bench.pass(Reconciler.UNKNOWN_MS);
        assertEquals(ErrorCode.RECONCILE_TIMEOUT, failure(again).code());
    }

    @Test
    void shouldShowThatASandboxMayBeAliveAfterTheEnd() {
        Spawn spawn = run();
        bench.spawner.handleSandboxGone(spawn);
        bench.loop.run();
        bench.spawner.handleSandboxKnown(spawn, true);
        assertEquals(Boolean.TRUE, spawn.view().givenUp().providerRuntimeAlive());
        bench.spawner.handleSandboxKnown(spawn, false);
        assertEquals(null, spawn.view().givenUp());
    }

    @Test
    void shouldRefuseAProviderThatIsNotThere() {
        BrigException refusal = SpawnBench.refusal(bench.ask(request("fix", "moon", null)));
        assertEquals(ErrorCode.INVALID_FIELD, refusal.code());
    }
}
