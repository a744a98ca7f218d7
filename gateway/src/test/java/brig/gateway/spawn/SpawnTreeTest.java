package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.tree.AgentTree;
import brig.protocol.SpawnState;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.TreeView;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The tree of a spawn through its life: live, after a restart, when it is over. */
class SpawnTreeTest {
    private static final String RUNNING = "{\"type\":\"state\",\"seq\":1,\"ts\":1,\"state\":\"running\"}\n";

    private final SpawnBench bench = new SpawnBench();
    private final Spawn spawn = bench.run("fix");

    private static String agent(long seq, String id, String status) {
        return "{\"type\":\"subagent\",\"seq\":" + seq + ",\"ts\":" + seq + ",\"agent_id\":\"" + id
                + "\",\"depth\":1,\"status\":\"" + status + "\",\"background\":false}\n";
    }

    private static String chunks(long first, long last) {
        StringBuilder lines = new StringBuilder();
        for (long seq = first; seq <= last; seq++) {
            lines.append("{\"type\":\"chunk\",\"seq\":")
                    .append(seq)
                    .append(",\"ts\":1,\"content\":\"")
                    .append("x".repeat(500))
                    .append("\",\"stream\":\"text\"}\n");
        }
        return lines.toString();
    }

    private static final AgentTree.Owner OWNER = new AgentTree.Owner(
            "spn_1", "fix", "claude", null, SpawnState.RUNNING, SpawnActivity.WORKING, "00000000", 7);

    private static TreeView view(SpawnBench bench, Spawn spawn) {
        CompletableFuture<AgentTree> tree = spawn.tree().read().toCompletableFuture();
        bench.loop.run();
        return tree.join().view(OWNER);
    }

    private static List<String> statuses(TreeView view) {
        return view.agents().stream()
                .map(agent -> agent.agentId() + " " + agent.status().wireName())
                .toList();
    }

    @Test
    void shouldAnswerAtOnceWhenTheSessionRuns() {
        bench.send(spawn, RUNNING + agent(2, "a", "running"));
        assertTrue(spawn.tree().read().toCompletableFuture().isDone());
        assertEquals(List.of("a running"), statuses(view(bench, spawn)));
        bench.send(spawn, agent(3, "a", "completed"));
        assertEquals(List.of("a completed"), statuses(view(bench, spawn)));
    }

    @Test
    void shouldReadTheRecordWhenTheGatewayRestartedAndGoOn() {
        // Scenario: most of the stream is on disk only; while the tree is read, more frames come.
        bench.send(spawn, RUNNING + agent(2, "a", "running"));
        for (long seq = 3; seq < 803; seq += 50) {
            bench.send(spawn, chunks(seq, seq + 49));
        }
        bench.send(spawn, agent(803, "b", "running"));
        TreeView before = view(bench, spawn);

        SpawnBench after = SpawnBench.restarted(bench);
        Spawn found = after.spawns.find(spawn.spawnId()).orElseThrow();
        CompletableFuture<AgentTree> early = found.tree().read().toCompletableFuture();
        assertFalse(early.isDone(), "the start waits for nobody's tree");
        after.reconcile(found.spawnId());
        assertEquals(before, early.join().view(OWNER));

        after.send(found, agent(804, "a", "completed"));
        assertEquals(List.of("a completed", "b running"), statuses(view(after, found)));
        assertEquals(0, found.log().readerCount(), "who read the record is gone, and was never counted");
    }

    @Test
    void shouldStartColdAndMissNothingWhenFramesComeBeforeAnybodyAsks() {
        bench.send(spawn, RUNNING + agent(2, "a", "running"));
        SpawnBench after = SpawnBench.restarted(bench);
        Spawn found = after.spawns.find(spawn.spawnId()).orElseThrow();
        after.reconcile(found.spawnId());
        after.send(found, agent(3, "a", "completed") + agent(4, "b", "running"));
        assertEquals(List.of("a completed", "b running"), statuses(view(after, found)));
    }

    @Test
    void shouldTellTheTreeOfASessionThatIsOver() {
        bench.send(
                spawn,
                RUNNING + agent(2, "a", "running")
                        + "{\"type\":\"usage\",\"seq\":3,\"ts\":3,\"input_tokens\":7,\"output_tokens\":2}\n"
                        + "{\"type\":\"done\",\"seq\":4,\"ts\":4,\"exit_code\":0}\n"
                        + "{\"type\":\"state\",\"seq\":5,\"ts\":5,\"state\":\"terminated\"}\n");
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertEquals(7, Objects.requireNonNull(spawn.tree().usage()).inputTokens(), "lists tell it after the end");
        TreeView view = view(bench, spawn);
        assertEquals(List.of("a lost"), statuses(view));
        assertTrue(view.complete());
        assertEquals(0, bench.budget.bytes(), "it is read, and holds no frames");
    }

    @Test
    void shouldSayThatItIsNotCompleteWhenTheOldestFramesAreDeleted() {
        bench.send(spawn, RUNNING + agent(2, "a", "running") + agent(3, "a", "completed"));
        SpawnBench after = SpawnBench.restarted(bench);
        Spawn found = after.spawns.find(spawn.spawnId()).orElseThrow();
        after.archives.get(found.spawnId()).evictBefore(3);
        TreeView view = view(after, found);
        assertEquals(List.of("a completed"), statuses(view));
        assertFalse(view.complete());
    }

    @Test
    void shouldBeginAgainWhenTheStreamDoes() {
        bench.send(spawn, RUNNING + agent(2, "a", "running"));
        SpawnBench after = SpawnBench.restarted(bench);
        Spawn found = after.spawns.find(spawn.spawnId()).orElseThrow();
        after.reconcile();
        assertEquals(SpawnState.TERMINATED, found.state());
        assertEquals(List.of("a lost"), statuses(view(after, found)));
    }
}
