package brig.gateway.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The trees of recorded runs of real agents, beside what the agents themselves reported. */
class RecordedTreesTest {
    static List<String> claude() {
        return TreeFixture.names("claude");
    }

    /** What Claude Code counted when it wrote its last result; null where it wrote none. */
    private static JsonNode report(String name) throws IOException {
        Path recording = TreeFixture.AGENTS.resolve("agents/claude").resolve(name + ".ndjson");
        JsonNode last = null;
        for (String line : Files.readAllLines(recording)) {
            JsonNode message = new ObjectMapper().readTree(line);
            JsonNode said = message.has("m") ? message.get("m") : message;
            last = said.has("subagent_stats") ? said.get("subagent_stats") : last;
        }
        return last;
    }

    @ParameterizedTest
    @MethodSource("claude")
    void shouldCountWhatClaudeCodeCounts(String name) throws IOException {
        JsonNode report = report(name);
        if (report == null) {
            return;
        }
        List<String> golden = TreeFixture.golden("claude", name);
        // A result becomes a frame of usage: what comes behind the last one its report does not know yet.
        int result = IntStream.range(0, golden.size())
                .filter(i -> golden.get(i).startsWith("usage "))
                .max()
                .orElseThrow();
        TreeFixture tree = new TreeFixture().play(golden.subList(0, result + 1));

        JsonNode killed = report.get("killed");
        assertEquals(report.get("spawned").asLong(), tree.count("agents"));
        assertEquals(report.get("completed").asLong(), tree.count("completed"));
        assertEquals(report.get("failed").asLong(), tree.count("failed"));
        assertEquals(
                killed.get("parent").asLong()
                        + killed.get("user").asLong()
                        + killed.get("system").asLong(),
                tree.count("killed"));
        assertEquals(report.get("max_depth").asLong(), tree.count("max_depth"));
        assertEquals(
                report.get("spawned_by_subagents").asLong(),
                tree.agents().stream().filter(agent -> agent.has("parent_id")).count());
        assertEquals(
                report.get("started_in_background").asLong(),
                tree.agents().stream().filter(agent -> agent.flag("background")).count());
        assertEquals(0, tree.leftOut());
    }

    private static TreeFixture whole(String adapter, String name) {
        return new TreeFixture().play(TreeFixture.golden(adapter, name));
    }

    @Test
    void shouldPlaceAndEndEveryAgentOfEveryRecording() {
        int agents = 0;
        for (String adapter : List.of("claude", "codex", "acp", "opencode")) {
            for (String name : TreeFixture.names(adapter)) {
                TreeFixture tree = whole(adapter, name);
                String where = adapter + " " + name + ": " + tree.drawn();
                assertEquals(0, tree.leftOut(), where);
                assertEquals(0, tree.count("running"), where);
                assertTrue(tree.agents().stream().noneMatch(agent -> agent.flag("unknown_parent")), where);
                agents += tree.agents().size();
            }
        }
        assertTrue(agents > 20, "recordings have agents: " + agents);
    }

    @Test
    void shouldNestThreadsOfCodexWhenItsEventsCameBeforeTheirPlace() {
        TreeFixture tree = whole("codex", "appserver-subagent-nested");
        String outer = "01a20284-d787-7c51-b942-391d78cd6c95";
        String inner = "01a20284-d8c4-7600-9016-6cd8516ae77c";
        assertEquals(List.of("/" + outer + " completed", outer + "/" + inner + " completed"), tree.drawn());
        JsonObject node = tree.agent(inner);
        assertEquals(5158 + 5298, node.number("input_tokens", 0));
        assertEquals(40, node.number("output_tokens", 0));
        assertEquals(5154 + 5253 + 5437, tree.view().object("main").number("input_tokens", 0), "its own only");
        assertEquals("call_47_0", node.text("parent_tool_id"));
        assertTrue(node.number("ended_ms", 0) > node.number("started_ms", 0));
    }

    @Test
    void shouldSayKilledWhenTheCaptainCancelled() {
        assertEquals(2, whole("claude", "bidi-idle-interrupt-bg").count("killed"));
    }

    @Test
    void shouldSayWhyWhenAnAgentFailed() {
        JsonObject failed = whole("claude", "subagent-err-fg").agents().getFirst();
        assertEquals("failed", failed.text("status"));
        assertTrue(failed.text("error", "").contains("API Error: 400"), failed::toString);
    }
}
