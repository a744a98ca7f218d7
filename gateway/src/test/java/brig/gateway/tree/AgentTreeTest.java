package brig.gateway.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Frames in any order, and frames that mean no good. */
class AgentTreeTest {
    private final TreeFixture tree = new TreeFixture();

    private static long number(JsonObject node, String name) {
        return node.number(name, -1);
    }

    @Test
    void shouldHaveTheAgentAloneWhenThereAreNoSubAgents() {
        tree.frame("session", "{\"session_id\":\"s1\",\"agent\":\"claude\",\"model\":\"m\"}")
                .frame("usage", "{\"input_tokens\":10,\"output_tokens\":2,\"cost\":0.5}")
                .frame("usage", "{\"input_tokens\":5,\"output_tokens\":1,\"cached_input_tokens\":4,\"cost\":0.25}")
                .frame("done", "{\"exit_code\":0}");
        JsonObject main = tree.view().object("main");
        assertEquals("running", main.text("status"), "it takes the next message");
        assertEquals("s1", main.text("session_id"));
        assertEquals(15, number(main, "input_tokens"));
        assertEquals(4, number(main, "cached_input_tokens"));
        assertEquals(0.75, main.value("cost"));
        assertEquals(1, number(main, "messages"));
        assertEquals(List.of(), tree.agents());
        assertTrue(tree.view().flag("complete"));
    }

    @Test
    void shouldPlaceAChildThatCameBeforeItsParent() {
        tree.agent("inner", "outer", "running");
        assertEquals(List.of("/outer unknown ?", "outer/inner running"), tree.drawn());
        tree.agent("outer", "", "spawned");
        assertEquals(List.of("/outer spawned", "outer/inner running"), tree.drawn());
    }

    @Test
    void shouldInventNothingOfAnAgentThatOnlyOthersName() {
        tree.frame("usage", "{\"agent\":\"x\",\"input_tokens\":1,\"output_tokens\":1}");
        assertEquals(List.of("/x unknown ?"), tree.drawn());
        assertFalse(tree.agent("x").has("started_ms"));
    }

    @Test
    void shouldGoOnWhenAnAgentIsResumed() {
        tree.agent("a", "", "spawned").agent("a", "", "completed");
        assertTrue(tree.agent("a").has("ended_ms"));
        tree.agent("a", "", "running").agent("a", "", "spawned");
        assertEquals(List.of("/a running"), tree.drawn());
        assertFalse(tree.agent("a").has("ended_ms"));
        assertEquals(1000, number(tree.agent("a"), "started_ms"), "as in the beginning");
        tree.agent("a", "", "failed");
        assertEquals(5000, number(tree.agent("a"), "ended_ms"));
    }

    @Test
    void shouldSayLostWhenTheStreamEndsAndAnAgentDidNot() {
        tree.agent("a", "", "running")
                .agent("b", "", "completed")
                .frame("done", "{\"exit_code\":137}")
                .frame("state", "{\"state\":\"terminated\"}");
        assertEquals(List.of("/a lost", "/b completed"), tree.drawn());
        assertEquals("failed", tree.view().object("main").text("status"));
    }

    @Test
    void shouldTakeWhatEgressSawOnlyWhereTheAgentSaysNothing() {
        String seen =
                "{\"source\":\"egress\",\"agent\":\"a\",\"route\":\"r\",\"model\":\"m\",\"status\":200,\"input_tokens\":7}";
        tree.frame("session", "{\"session_id\":\"root\"}")
                .frame("subagent", "{\"source\":\"egress\",\"agent_id\":\"a\",\"parent_id\":\"root\"}")
                .frame("usage", seen);
        assertEquals(List.of("/a unknown"), tree.drawn());
        assertEquals(7, number(tree.agent("a"), "input_tokens"));
        tree.agent("b", "", "running")
                .agent("a", "b", "running")
                .frame("usage", "{\"agent\":\"a\",\"input_tokens\":6,\"output_tokens\":1}")
                .frame("usage", seen)
                .frame("subagent", "{\"source\":\"egress\",\"agent_id\":\"a\"}");
        assertEquals(List.of("/b running", "b/a running"), tree.drawn());
        assertEquals(6, number(tree.agent("a"), "input_tokens"));
    }

    @Test
    void shouldShowTheCostThatEgressKnowsWhereTheAgentSaysNone() {
        String seen =
                "{\"source\":\"egress\",\"route\":\"r\",\"model\":\"m\",\"status\":200,\"input_tokens\":7,\"cost\":0.25}";
        tree.frame("usage", seen)
                .frame("usage", "{\"input_tokens\":6,\"output_tokens\":1}")
                .frame("usage", seen);
        JsonObject usage = tree.view().object("main");
        assertEquals(6, usage.number("input_tokens", 0));
        assertEquals("0.5", String.valueOf(usage.value("cost")));
        tree.frame("usage", "{\"input_tokens\":1,\"output_tokens\":1,\"cost\":2.0}");
        assertEquals("2.0", String.valueOf(tree.view().object("main").value("cost")));
    }

    @Test
    void shouldCountWhatRequestsCameToSinceABudgetWasTold() {
        String told =
                "{\"percent\":0,\"scope\":\"session\",\"used\":{\"usd\":%s},\"reserved\":{},\"limit\":{\"usd\":2}}";
        String seen = "{\"source\":\"egress\",\"agent\":\"a\",\"status\":200,\"cost\":0.25}";
        tree.frame("usage", seen);
        assertNull(tree.tree.budget());
        tree.frame("budget", told.formatted("0"))
                .frame("usage", seen)
                .frame("usage", "{\"input_tokens\":1,\"output_tokens\":1,\"cost\":1.75}");
        assertEquals(0.5, tree.tree.budget().used().usd());
        assertEquals(25, tree.tree.budget().percent());
        tree.frame("budget", told.formatted("1.5"));
        assertEquals(1.5, tree.tree.budget().used().usd());
        assertEquals(75, tree.tree.budget().percent());
    }

    @Test
    void shouldBeTheSameTreeInWhateverOrderFramesCome() {
        // Scenario: random trees of up to forty agents, each agent told in one frame, the frames shuffled.
        long seed = 7;
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            Map<String, String> parents = new TreeMap<>();
            int size = 1 + random.nextInt(40);
            for (int i = 0; i < size; i++) {
                int parent = random.nextInt(i + 1);
                parents.put("a" + i, parent == 0 ? "" : "a" + (parent - 1));
            }
            List<Map.Entry<String, String>> frames = new ArrayList<>(parents.entrySet());
            Collections.shuffle(frames, random);
            TreeFixture shuffled = new TreeFixture();
            frames.forEach(frame -> shuffled.agent(frame.getKey(), frame.getValue(), "running"));
            assertEquals(parents, shuffled.parents(), "round " + round + " of seed " + seed);
            assertEquals(0, shuffled.leftOut());
        }
    }

    @Test
    void shouldNotCloseACircle() {
        tree.agent("self", "self", "running");
        tree.agent("a", "b", "running").agent("b", "c", "running").agent("c", "a", "running");
        assertEquals(List.of("/self running ?", "/c running ?", "c/b running", "b/a running"), tree.drawn());
        assertEquals(2, tree.leftOut());
        assertFalse(tree.view().flag("complete"));
    }

    @Test
    void shouldStayWhereTheAgentPutItFirst() {
        tree.agent("a", "", "running")
                .agent("b", "", "running")
                .agent("c", "a", "running")
                .agent("c", "b", "completed");
        assertEquals(Map.of("a", "", "b", "", "c", "a"), tree.parents());
    }

    @Test
    void shouldMoveBelowItsParentWhenTheAgentNamesItLater() {
        tree.agent("inner", "", "running")
                .agent("outer", "", "running")
                .agent("inner", "outer", "running")
                .agent("inner", "", "completed");
        assertEquals(List.of("/outer running", "outer/inner completed"), tree.drawn());
        assertEquals(0, tree.leftOut());
    }

    @Test
    void shouldStayBoundedWhenAnAgentStartsAHundredThousand() {
        for (int i = 0; i < 100_000; i++) {
            tree.agent("agent-" + i, i == 0 ? "" : "agent-" + (i - 1), "spawned");
        }
        assertEquals(AgentTree.NODES_MAX, tree.count("agents"));
        assertEquals(AgentTree.NODES_MAX, tree.count("max_depth"));
        assertEquals(100_000 - AgentTree.NODES_MAX, tree.leftOut());
    }

    @Test
    void shouldLeaveOutNamesThatAreTooLongAndCutTexts() {
        String endless = "x".repeat(8 * 1024 * 1024);
        tree.agent(endless, "", "running").agent("a", endless, "running");
        assertEquals(List.of("/a running ?"), tree.drawn());
        tree.frame("subagent", "{\"agent_id\":\"a\",\"status\":\"running\",\"prompt\":\"" + endless + "\"}");
        assertEquals(
                AgentTree.TEXT_CHARS_MAX, tree.agent("a").text("prompt", "").length());
        assertEquals(1, number(tree.view().object("left_out"), "texts"));
    }

    @Test
    void shouldKeepAllTextsTogetherBelowTheirBound() {
        String text = "y".repeat(AgentTree.TEXT_CHARS_MAX);
        for (int i = 0; i < 1_000; i++) {
            tree.frame(
                    "subagent",
                    "{\"agent_id\":\"" + i + "\",\"status\":\"running\",\"prompt\":\"" + text + "\",\"summary\":\""
                            + text + "\"}");
        }
        int held = tree.agents().stream()
                .mapToInt(agent -> agent.text("prompt", "").length()
                        + agent.text("summary", "").length()
                        + agent.text("agent_id", "").length())
                .sum();
        assertTrue(held > AgentTree.CHARS_MAX / 2 && held <= AgentTree.CHARS_MAX, () -> "held " + held);
    }

    @Test
    void shouldCutBetweenCharactersAndBearHalvesOfThem() {
        String clefs = "\\ud834\\udd1e".repeat(AgentTree.TEXT_CHARS_MAX);
        tree.frame(
                "subagent",
                "{\"agent_id\":\"a\",\"status\":\"running\",\"prompt\":\"x" + clefs + "\",\"error\":\"half \\ud834\"}");
        assertTrue(tree.agent("a").text("prompt", "").endsWith("\ud834\udd1e"));
        assertTrue(tree.agent("a").text("error", "").startsWith("half "));
    }

    @Test
    void shouldCountWhatIsNoFrameOfASubAgent() {
        tree.frame("subagent", "{\"status\":\"running\"}")
                .frame("subagent", "{\"agent_id\":\"\"}")
                .frame("subagent", "{\"agent_id\":7}")
                .frame("usage", "{\"input_tokens\":-1,\"output_tokens\":1}")
                .frame("subagent", "{\"agent_id\":\"a\",\"status\":\"happy\"}");
        assertEquals(4, tree.leftOut());
        assertEquals(List.of("/a unknown"), tree.drawn());
    }

    @Test
    void shouldTakeEachFrameOnceWhenItComesAgain() {
        byte[] line = "{\"type\":\"usage\",\"seq\":1,\"ts\":1,\"input_tokens\":3,\"output_tokens\":1}\n"
                .getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 2; i++) {
            tree.tree.handle(FrameType.USAGE, 1, line, 0, line.length);
        }
        assertEquals(3, number(tree.view().object("main"), "input_tokens"));
    }
}
