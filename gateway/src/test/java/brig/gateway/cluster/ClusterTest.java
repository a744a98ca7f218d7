package brig.gateway.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.cluster.SimulatedCluster.Node;
import brig.gateway.spawn.AcceptedSpawn;
import brig.protocol.SpawnState;
import brig.protocol.api.ClusterView;
import brig.protocol.api.ClusterView.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Two or three gateways that share hosts. */
class ClusterTest {
    private static final long TAKEOVER_MS = 10_000;

    private final SimulatedCluster all = new SimulatedCluster(1, 3, 1);

    private Node owner() {
        all.await("somebody owns the host", TAKEOVER_MS, () -> all.owner("w1") != null);
        Node owner = all.owner("w1");
        all.await(
                "it is in reach", 1_000, () -> owner.cluster.hosts().getFirst().up());
        all.await(
                "all know the owner",
                3_000,
                () -> all.nodes.values().stream()
                        .allMatch(node ->
                                !node.alive || node.cluster.hosts().getFirst().up()));
        return owner;
    }

    private Node other(Node owner) {
        return all.nodes.values().stream()
                .filter(node -> node != owner && node.alive)
                .findFirst()
                .orElseThrow();
    }

    private <T> T await(CompletableFuture<T> answer) {
        all.await("an answer", TAKEOVER_MS, answer::isDone);
        return answer.join();
    }

    private boolean isOver(Node node, String spawnId) {
        return node.find(spawnId) != null && node.find(spawnId).state().isFinal();
    }

    private void awaitEnd(String spawnId, List<Node> nodes) {
        for (Node node : nodes) {
            all.await("it ended at " + node.name, 120_000, () -> isOver(node, spawnId));
        }
        all.await("all is durable", 20_000, () -> all.isWritten("w1", spawnId));
    }

    @Test
    void shouldHaveOneOwnerWhenGatewaysBegin() {
        Node owner = owner();
        assertEquals(
                List.of(owner),
                all.nodes.values().stream()
                        .filter(node -> node.cluster.owns("w1"))
                        .toList());
    }

    @Test
    void shouldShowASessionWithAllItsFramesAtEachGatewayWhenAnyBeganIt() {
        Node owner = owner();
        Node asked = other(owner);
        AcceptedSpawn accepted = await(asked.begin("w1", "fix"));
        assertNotNull(asked.find("fix"), "it is known where it was asked for when that is answered");
        awaitEnd(accepted.spawnId(), List.copyOf(all.nodes.values()));

        String said = all.hosts.get("w1").workers.get(accepted.spawnId()).all();
        for (Node node : all.nodes.values()) {
            var reader = node.read(accepted.spawnId());
            all.await("all is read", 5_000, reader::isEnded);
            assertEquals(said, reader.text(), node.name);
            assertTrue(node.find(accepted.spawnId()).isCaptainToken(accepted.captainToken()), node.name);
        }
        assertEquals(List.of(), all.faults("w1", accepted.spawnId()));
        assertEquals(SpawnState.TERMINATED, asked.find("fix").state());
    }

    private long durable(String spawnId) {
        return all.shared.runs("w1", spawnId).stream()
                .mapToLong(Run::lastSeq)
                .max()
                .orElse(0);
    }

    private AcceptedSpawn awaitRunning(Node owner) {
        AcceptedSpawn accepted = await(owner.begin("w1", "fix"));
        all.await("it speaks", 5_000, () -> durable(accepted.spawnId()) > 0);
        return accepted;
    }

    @Test
    void shouldShowElsewhereWhatIsNotDurableYet() {
        Node owner = owner();
        Node other = other(owner);
        String spawnId = awaitRunning(owner).spawnId();
        all.shared.full = true;
        all.await("it is shown", 5_000, () -> other.find(spawnId).log().lastSeq() > durable(spawnId));
        all.shared.full = false;
        awaitEnd(spawnId, List.copyOf(all.nodes.values()));
        assertEquals(List.of(), all.faults("w1", spawnId));
    }

    /** Scenario: what the next owner was shown is neither in the shared log nor on its disk. */
    @Test
    void shouldWriteWhatWasShownWhenTheOwnerIsKilledAndNoDiskHasRoom() {
        Node owner = owner();
        String spawnId = awaitRunning(owner).spawnId();
        List<Node> others =
                all.nodes.values().stream().filter(node -> node != owner).toList();
        others.forEach(node -> node.setFull(true));
        all.shared.full = true;
        all.await(
                "it is shown",
                5_000,
                () -> others.stream().allMatch(node -> node.find(spawnId).log().lastSeq() > durable(spawnId) + 2));
        all.pass(100);
        owner.kill();
        all.shared.full = false;
        awaitEnd(spawnId, others);
        assertEquals(List.of(), all.faults("w1", spawnId));
    }

    @Test
    void shouldTellTheWorkerWhenAnotherGatewayIsTold() {
        Node owner = owner();
        Node asked = other(owner);
        AcceptedSpawn accepted = await(asked.begin("w1", "fix"));
        await(accepted.workspace().toCompletableFuture());
        asked.find("fix").worker().input(new brig.protocol.control.Message("go on", "m1", "uid:1", "http"));
        SimulatedHost.Worker worker = all.hosts.get("w1").workers.get(accepted.spawnId());
        all.await("it heard", 1_000, () -> worker.heard.equals(List.of("go on")));
        await(asked.spawner.terminate(asked.find("fix"), "requested", "uid:1").toCompletableFuture());
        assertTrue(worker.ended);
    }

    @Test
    void shouldGoOnElsewhereWithinTenSecondsWhenTheOwnerIsKilled() {
        Node owner = owner();
        Node asked = other(owner);
        AcceptedSpawn accepted = await(asked.begin("w1", "fix"));
        await(accepted.workspace().toCompletableFuture());
        var reader = asked.read(accepted.spawnId());
        all.time.pass(300);
        owner.kill();
        all.time.pass(50);
        int before = reader.text().length();
        long tookMs = all.await("frames go on", 30_000, () -> reader.text().length() > before);
        assertTrue(tookMs <= TAKEOVER_MS, tookMs + " ms");
        awaitEnd(
                accepted.spawnId(),
                all.nodes.values().stream().filter(node -> node.alive).toList());
        assertEquals(List.of(), all.faults("w1", accepted.spawnId()));
        all.await("all is read", 5_000, reader::isEnded);
        assertEquals(all.hosts.get("w1").workers.get(accepted.spawnId()).all(), reader.text());
    }

    @Test
    void shouldWriteNothingWhenTheOwnerIsStoppedAndContinued() {
        Node owner = owner();
        Node asked = other(owner);
        AcceptedSpawn accepted = await(asked.begin("w1", "fix"));
        await(accepted.workspace().toCompletableFuture());
        owner.stop();
        all.await("another owns it", TAKEOVER_MS, () -> all.owner("w1") != null);
        int runs = all.shared.runs("w1", accepted.spawnId()).size();
        long term = all.shared.runs("w1", accepted.spawnId()).getLast().term();
        owner.go();
        awaitEnd(accepted.spawnId(), List.copyOf(all.nodes.values()));
        assertEquals(
                List.of(),
                all.shared.runs("w1", accepted.spawnId()).stream()
                        .skip(runs)
                        .filter(run -> run.term() < term)
                        .toList());
        assertEquals(List.of(), all.faults("w1", accepted.spawnId()));
        assertEquals(all.hosts.get("w1").workers.get(accepted.spawnId()).all(), readAll(owner, accepted.spawnId()));
    }

    /** Scenario: a run is on its way when its owner stands still, and arrives before the next owner has anything to write. */
    @Test
    void shouldNotTakeARunThatWasOnItsWayWhenAnotherGatewayTookTheHost() {
        Node owner = owner();
        AcceptedSpawn accepted = await(owner.begin("w1", "fix"));
        await(accepted.workspace().toCompletableFuture());
        all.await(
                "it writes",
                5_000,
                () -> !all.shared.runs("w1", accepted.spawnId()).isEmpty());
        owner.end.lateMs = 9_000;
        all.pass(500);
        all.hosts.get("w1").cut(15_000);
        owner.stop();
        all.await("another owns it", TAKEOVER_MS, () -> all.owner("w1") != null);
        int runs = all.shared.runs("w1", accepted.spawnId()).size();
        all.pass(9_000);
        assertEquals(runs, all.shared.runs("w1", accepted.spawnId()).size());
        owner.end.lateMs = 0;
        owner.go();
        awaitEnd(accepted.spawnId(), List.copyOf(all.nodes.values()));
        assertEquals(List.of(), all.faults("w1", accepted.spawnId()));
        assertEquals(all.hosts.get("w1").workers.get(accepted.spawnId()).all(), readAll(owner, accepted.spawnId()));
    }

    private String readAll(Node node, String spawnId) {
        var reader = node.read(spawnId);
        all.await("all is read", 5_000, reader::isEnded);
        return reader.text();
    }

    @Test
    void shouldFindTheSameSpawnForARequestIdAtEachGatewayAlsoWhenTheFirstIsGone() {
        Node owner = owner();
        Node asked = other(owner);
        String requestId = "0b0e7d3c-9a51-4f0e-8f6e-2f5d9a3b1c11";
        AcceptedSpawn first = await(owner.begin("w1", "fix", requestId));
        AcceptedSpawn again = await(asked.begin("w1", "fix", requestId));
        assertEquals(first.spawnId(), again.spawnId());
        assertEquals(first.captainToken(), again.captainToken());
        owner.kill();
        AcceptedSpawn later = await(asked.begin("w1", "fix", requestId));
        assertEquals(first.spawnId(), later.spawnId());
        assertEquals(1, all.hosts.get("w1").workers.size());
    }

    @Test
    void shouldCountTheSpawnsOfAllGatewaysForTheLimitOfACaptain() {
        all.workersPerCaptainMax = 2;
        all.nodes.values().forEach(node -> {
            node.kill();
            node.start();
        });
        Node owner = owner();
        await(await(owner.begin("w1", "a")).workspace().toCompletableFuture());
        await(await(other(owner).begin("w1", "b")).workspace().toCompletableFuture());
        owner.kill();
        all.await("another owns it", TAKEOVER_MS, () -> all.owner("w1") != null);
        CompletableFuture<AcceptedSpawn> third = all.owner("w1").begin("w1", "c");
        all.await("an answer", TAKEOVER_MS, third::isDone);
        assertTrue(third.isCompletedExceptionally());
        assertEquals(2, all.hosts.get("w1").workers.size());
    }

    @Test
    void shouldLeaveTheHostAtOnceWhenTheOwnerStopsInOrder() {
        Node owner = owner();
        var _ = owner.cluster.close();
        long tookMs =
                all.await("another owns it", TAKEOVER_MS, () -> all.owner("w1") != null && all.owner("w1") != owner);
        assertTrue(tookMs < Tenure.TTL_MS, tookMs + " ms");
    }

    @Test
    void shouldTellTheOthersOfItsSpawnsWhenWhatIsSharedWasLost() {
        Node owner = owner();
        AcceptedSpawn accepted = await(owner.begin("w1", "fix"));
        await(accepted.workspace().toCompletableFuture());
        Node other = other(owner);
        all.nodes.values().forEach(Node::kill);
        all.shared.spawns.entries.clear();
        other.archives.clear();
        owner.start();
        awaitEnd(accepted.spawnId(), List.of(owner));
        assertTrue(all.shared.spawns.entries.containsKey(accepted.spawnId()));
        assertEquals(all.hosts.get("w1").workers.get(accepted.spawnId()).all(), readAll(owner, accepted.spawnId()));
    }

    /** Scenario: what was shared is lost, and a backup from before most frames, and before some other owners, is restored. */
    @Test
    void shouldGoOnWithAllFramesWhenABackupIsRestored() {
        Node first = owner();
        AcceptedSpawn accepted = await(first.begin("w1", "fix"));
        await(accepted.workspace().toCompletableFuture());
        all.time.pass(500);
        Runnable restore = all.shared.backup();
        for (int i = 0; i < 2; i++) {
            Node owner = owner();
            owner.kill();
            all.await("another owns it", TAKEOVER_MS, () -> all.owner("w1") != null);
            owner.start();
        }
        Node last = owner();
        all.await(
                "all know it",
                TAKEOVER_MS,
                () -> all.nodes.values().stream().allMatch(node -> node.find(accepted.spawnId()) != null));
        AcceptedSpawn newer = await(last.begin("w1", "newer"));
        await(newer.workspace().toCompletableFuture());
        all.time.pass(1_000);

        all.nodes.values().stream().filter(node -> node != last).forEach(this::stopInOrder);
        stopInOrder(last);
        restore.run();
        last.start();
        all.await("it owns it", TAKEOVER_MS, () -> all.owner("w1") == last);
        all.nodes.values().stream().filter(node -> node != last).forEach(Node::start);

        for (AcceptedSpawn one : List.of(accepted, newer)) {
            awaitEnd(one.spawnId(), List.copyOf(all.nodes.values()));
            assertEquals(List.of(), all.faults("w1", one.spawnId()));
            String said = all.hosts.get("w1").workers.get(one.spawnId()).all();
            for (Node node : all.nodes.values()) {
                assertEquals(said, readAll(node, one.spawnId()), node.name);
            }
        }
    }

    private static ClusterView.SharedHost seen(Node node) {
        return node.cluster.view().hosts().getFirst();
    }

    /** Scenario: all gateways are killed, and the first one of them that is back finds the entry of the owner. */
    @Test
    void shouldNotCallAHostUpWhoseOwnerRenewsNothing() {
        Node owner = owner();
        Node other = other(owner);
        all.await("the owner renews it", 3_000, () -> seen(other).up());
        List.copyOf(all.nodes.values()).forEach(Node::kill);
        other.start();
        all.time.pass(2_000);
        assertEquals(owner.name, seen(other).owner());
        assertFalse(seen(other).up());
        all.await(
                "it owns the host and reaches it",
                TAKEOVER_MS,
                () -> seen(other).up());
        assertEquals(other.name, seen(other).owner());
    }

    @Test
    void shouldSayWhetherWhatIsSharedAnswers() {
        Node asked = other(owner());
        assertTrue(asked.cluster.view().connected());
        asked.end.cut = true;
        all.await(
                "it does not answer",
                Tenure.TTL_MS + 1_000,
                () -> !asked.cluster.view().connected() && !seen(asked).up());
        asked.end.cut = false;
        all.await(
                "it answers",
                3_000,
                () -> asked.cluster.view().connected() && seen(asked).up());
    }

    private void stopInOrder(Node node) {
        var _ = node.cluster.close();
        all.time.pass(100);
        node.kill();
    }

    @Test
    void shouldGiveUpTheHostByItsOwnClockWhenNothingSharedAnswers() {
        Node owner = owner();
        owner.end.cut = true;
        all.time.pass(Tenure.TTL_MS);
        assertEquals(Part.FOLLOWING, owner.cluster.view().hosts().getFirst().part());
        assertEquals(List.of(1L, 1L), List.of(owner.cluster.taken(), owner.cluster.lost()));
    }

    /** Scenario: a gateway took the host, stood still before its fences, and goes on when another one owns the host. */
    @Test
    void shouldFenceNobodyWhenATakeoverIsOutdated() {
        Node owner = owner();
        AcceptedSpawn accepted = await(owner.begin("w1", "fix"));
        await(accepted.workspace().toCompletableFuture());
        owner.kill();
        List<Node> late = new ArrayList<>();
        all.await(
                "one takes it",
                TAKEOVER_MS,
                () -> all.nodes.values().stream()
                        .filter(node -> node.alive
                                && node.cluster.view().hosts().getFirst().part() == Part.TAKING)
                        .peek(late::add)
                        .findFirst()
                        .isPresent());
        late.getFirst().stop();
        all.await("another owns it", 2 * TAKEOVER_MS, () -> all.owner("w1") != null);
        long term = all.shared.runs("w1", accepted.spawnId()).getLast().term();
        late.getFirst().go();
        awaitEnd(
                accepted.spawnId(),
                all.nodes.values().stream().filter(node -> node.alive).toList());
        assertEquals(List.of(), all.faults("w1", accepted.spawnId()));
        assertTrue(all.shared.runs("w1", accepted.spawnId()).getLast().term() >= term);
    }
}
