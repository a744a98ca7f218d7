package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.stream.RecordingSink;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.SpawnState;
import brig.protocol.control.Posture;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.spawn.Setup;
import brig.protocol.spawn.SpawnRequest;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Spawns on other hosts: where they are placed, and what becomes of them while the link is lost. */
class HostsTest {
    private static final String RUNNING = "{\"type\":\"state\",\"seq\":1,\"state\":\"running\"}\n";
    private static final String CHUNK = "{\"type\":\"chunk\",\"seq\":2,\"content\":\"x\",\"stream\":\"stdout\"}\n";

    private final SpawnBench bench = new SpawnBench();

    @BeforeEach
    void addHosts() {
        bench.hosts.add(new Placement.HostOffer(SpawnBench.FAR, Set.of("gpu", "big"), 2, true, null));
    }

    private static SpawnRequest request(String taskId, String host, String... on) {
        SpawnRequest request = SpawnBench.request(taskId);
        return new SpawnRequest(
                taskId,
                null,
                request.agentConfig(),
                null,
                false,
                null,
                SpawnRequest.WorkspaceMode.FOLDER,
                null,
                false,
                SpawnRequest.Claim.NONE,
                SpawnRequest.Bounds.NONE,
                SpawnRequest.Continuation.NEW,
                null,
                new SpawnRequest.Place(host, List.of(on)),
                Setup.NONE);
    }

    private static SpawnAnswer answer(String spawnId) {
        return new SpawnAnswer("/home/far/" + spawnId, new Posture("none", List.of(), List.of(), null));
    }

    private Spawn run(SpawnRequest request) {
        CompletableFuture<GrantedSpawn> granted = bench.ask(request);
        Spawn spawn = bench.spawns.find(request.taskId()).orElseThrow();
        bench.far.asked.get(spawn.spawnId()).complete(answer(spawn.spawnId()));
        bench.loop.run();
        assertEquals(spawn.spawnId(), granted.join().spawnId());
        return spawn;
    }

    private BrigException refused(SpawnRequest request) {
        return SpawnBench.refusal(bench.ask(request));
    }

    /** The link to the host comes up, and it has these workers. */
    private void reconcile(SpawnBench with, long lastSeq, String... spawnIds) {
        with.far.listing = new CompletableFuture<>();
        CompletableFuture<Void> done = with.spawner.reconcile(SpawnBench.FAR).toCompletableFuture();
        with.far.listing.complete(new WorkersAnswer(
                List.of(spawnIds).stream()
                        .map(id -> new WorkersAnswer.WorkerView(id, answer(id), lastSeq, false, false, List.of()))
                        .toList(),
                List.of()));
        with.loop.run();
        done.join();
    }

    @Test
    void shouldStartAWorkerOnTheHostThatTheRequestNames() {
        Spawn spawn = run(request("fix", "far"));
        assertEquals("far", spawn.view().host());
        assertEquals("/home/far/" + spawn.spawnId(), spawn.workspace());
        assertTrue(bench.workers.asked.isEmpty(), "the gateway's own host was not asked");
        assertNull(bench.run("here").view().host());
    }

    @Test
    void shouldShowHowMuchOfItsRepositoryWasBroughtUntilThatIsDone() {
        var _ = bench.ask(request("fix", "far"));
        Spawn spawn = bench.spawns.find("fix").orElseThrow();
        assertNull(spawn.view().percent());
        spawn.handleBrought(45);
        assertEquals(45, spawn.view().percent());
        spawn.handleBrought(100);
        assertNull(spawn.view().percent());
    }

    @Test
    void shouldTakeTheHostWithAllLabelsAndTheFewestSpawns() {
        bench.hosts.add(new Placement.HostOffer("near", Set.of("gpu"), 0, true, null));
        bench.hosts.add(new Placement.HostOffer("down", Set.of("gpu", "big"), 0, false, null));
        Placement placement = new Placement(() -> bench.hosts, bench.spawns);
        assertEquals(
                "far",
                placement.place(request(null, null, "gpu", "big")).place().host());
        assertEquals("far", placement.place(request(null, null, "gpu")).place().host(), "by name if all else is equal");
        run(request("one", "far"));
        assertEquals("near", placement.place(request(null, null, "gpu")).place().host());
        assertNull(placement.place(SpawnBench.request("here")).place().host());
    }

    @Test
    void shouldSayWhyThereIsNoHostForARequest() {
        assertEquals(ErrorCode.NOT_FOUND, refused(request("a", "none")).code());
        assertEquals(
                "no host has the labels arm; there are far",
                refused(request("a", null, "arm")).getMessage());
        bench.hosts.set(0, new Placement.HostOffer(SpawnBench.FAR, Set.of(), 2, false, null));
        assertEquals(ErrorCode.HOST_UNREACHABLE, refused(request("a", "far")).code());
        bench.hosts.set(0, new Placement.HostOffer(SpawnBench.FAR, Set.of(), 2, false, "no bubblewrap; install it"));
        BrigException unfit = refused(request("a", "far"));
        assertEquals(ErrorCode.HOST_UNFIT, unfit.code());
        assertEquals("host far: no bubblewrap; install it", unfit.getMessage());
        bench.hosts.set(0, new Placement.HostOffer(SpawnBench.FAR, Set.of("x"), 2, false, "for tunnels only"));
        bench.hosts.add(new Placement.HostOffer("near", Set.of("x"), 2, false, null));
        BrigException mixed = refused(request("a", null, "x"));
        assertTrue(mixed.getMessage().startsWith("out of reach: near;"), mixed::getMessage);
        bench.hosts.set(0, new Placement.HostOffer(SpawnBench.FAR, Set.of(), 1, true, null));
        run(request("a", "far"));
        assertEquals(ErrorCode.MAX_WORKERS, refused(request("b", "far")).code());
        assertEquals("1/1", bench.slots(), "a refusal costs nothing");
    }

    @Test
    void shouldKeepSessionsOfAHostThatIsOutOfReachForAsLongAsThatLasts() {
        Spawn spawn = run(request("fix", "far"));
        Spawn here = bench.run("here");
        bench.far.streams.get(spawn.spawnId()).send(RUNNING + CHUNK);
        bench.loop.run();
        bench.spawner.handleDown(SpawnBench.FAR);
        assertEquals(SpawnState.UNREACHABLE, spawn.state());
        assertEquals(SpawnState.RUNNING, here.state(), "another host is not affected");
        assertTrue(spawn.isAttachable());
        RecordingSink captain = new RecordingSink();
        spawn.log().subscribe(1, true, null, 0, captain).drain();
        assertEquals(RUNNING + CHUNK, captain.text());

        bench.pass(3_600_000);
        assertEquals(SpawnState.UNREACHABLE, spawn.state());
        reconcile(bench, 2, spawn.spawnId());
        assertEquals(SpawnState.RUNNING, spawn.state());
        assertEquals(1, bench.far.streams.size(), "its stream goes on");
        assertFalse(bench.story.toString().contains("abandon"), bench.story::toString);
    }

    @Test
    void shouldAdoptWorkersOfAHostAfterARestart() {
        Spawn spawn = run(request("fix", "far"));
        bench.far.streams.get(spawn.spawnId()).send(RUNNING + CHUNK);
        bench.loop.run();
        SpawnBench after = SpawnBench.restarted(bench);
        Spawn adopted = after.spawns.find("fix").orElseThrow();
        assertFalse(adopted.ioSocket().isEmpty(), "it can be read before the link is up");
        after.spawner.handleDown(SpawnBench.FAR);
        assertEquals(SpawnState.UNREACHABLE, adopted.state());
        after.reconcile();
        assertEquals(SpawnState.UNREACHABLE, adopted.state(), "the own host cannot tell");
        reconcile(after, 2, spawn.spawnId());
        assertEquals(SpawnState.RUNNING, adopted.state());
        assertEquals(3, after.far.streams.get(spawn.spawnId()).nextSeq);
    }

    @Test
    void shouldLetASessionBeReadThatWasOutOfReachBeforeARestart() {
        Spawn spawn = run(request("fix", "far"));
        bench.far.streams.get(spawn.spawnId()).send(RUNNING + CHUNK);
        bench.loop.run();
        bench.spawner.handleDown(SpawnBench.FAR);
        bench.loop.run();
        SpawnBench after = SpawnBench.restarted(bench);
        Spawn adopted = after.spawns.find("fix").orElseThrow();
        assertEquals(SpawnState.UNREACHABLE, adopted.state());
        assertFalse(adopted.ioSocket().isEmpty());
        reconcile(after, 2, spawn.spawnId());
        assertEquals(SpawnState.RUNNING, adopted.state());
        assertEquals(3, after.far.streams.get(spawn.spawnId()).nextSeq);
    }

    @Test
    void shouldEndWorkersOfAHostThatNobodyKnows() {
        reconcile(bench, 0, "spn_stranger");
        assertEquals(List.of("abandon spn_stranger"), bench.story);
    }

    @Test
    void shouldEndASessionThatWasUnwantedWhileItsHostWasOutOfReach() {
        Spawn spawn = run(request("fix", "far"));
        bench.spawner.handleDown(SpawnBench.FAR);
        bench.far.terminating =
                CompletableFuture.failedFuture(new BrigException(ErrorCode.WORKER_AGENT_UNAVAILABLE, "x", 1));
        bench.spawner
                .terminate(spawn, "requested", "uid:0")
                .toCompletableFuture()
                .join();
        assertEquals(SpawnState.UNREACHABLE, spawn.state());
        bench.far.terminating = CompletableFuture.completedFuture(null);
        bench.story.clear();
        reconcile(bench, 0, spawn.spawnId());
        assertEquals(List.of("terminate " + spawn.spawnId() + " requested"), bench.story);
    }

    @Test
    void shouldGiveUpASessionWhoseHostIsNotKnownAnyMore() {
        Spawn spawn = run(request("fix", "far"));
        bench.spawner.handleDown(SpawnBench.FAR);
        bench.agents.remove(SpawnBench.FAR);
        bench.spawner
                .terminate(spawn, "requested", "uid:0")
                .toCompletableFuture()
                .join();
        bench.loop.run();
        assertEquals(SpawnState.FAILED, spawn.state());
        assertTrue(spawn.lastError().startsWith("HOST_UNREACHABLE"), spawn.lastError());
    }
}
