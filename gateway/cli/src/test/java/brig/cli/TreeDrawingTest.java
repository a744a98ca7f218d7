package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import brig.protocol.api.TreeView;
import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class TreeDrawingTest {
    private static List<String> draw(String agents) {
        return draw(agents, "idle", true, 0);
    }

    private static List<String> draw(String agents, String activity, boolean complete, int leftOut) {
        String tree = "{`spawn_id`:`spn_1`,`task_id`:`fix`,`agent`:`claude`,`state`:`running`,`activity`:`" + activity
                + "`,`epoch`:`e`,`last_seq`:9,`main`:{`agent`:`claude`,`status`:`running`,`started_ms`:1000,"
                + "`input_tokens`:6323,`output_tokens`:40,`messages`:1},`agents`:[" + agents
                + "],`counts`:{},`complete`:"
                + complete + ",`left_out`:{`frames`:" + leftOut + ",`texts`:0}}";
        return new TreeDrawing(
                        Json.read(tree.replace('`', '"').getBytes(StandardCharsets.UTF_8), TreeView.class), 62_500)
                .lines();
    }

    private static String agent(String id, int depth, String rest) {
        return "{`agent_id`:`" + id + "`,`depth`:" + depth + ",`background`:false,`status`:`completed`" + rest + "}";
    }

    @Test
    void shouldDrawEachAgentBelowItsParent() {
        assertEquals(
                List.of(
                        "claude fix  idle  1m1s  6.3k in 40 out",
                        "├─ agent a  completed",
                        "│  ├─ agent b  completed",
                        "│  │  └─ agent c  completed",
                        "│  └─ agent d  completed",
                        "└─ agent e  completed",
                        "   └─ agent f  completed"),
                draw(String.join(
                        ",",
                        agent("a", 1, ""),
                        agent("b", 2, ""),
                        agent("c", 3, ""),
                        agent("d", 2, ""),
                        agent("e", 1, ""),
                        agent("f", 2, ""))));
    }

    @Test
    void shouldSayWhatTheSessionDoesWhileItLives() {
        assertEquals(
                "claude fix  idle  1m1s  6.3k in 40 out",
                draw("", "idle", true, 0).getFirst());
        assertEquals(
                "claude fix  running  1m1s  6.3k in 40 out",
                draw("", "ended", true, 0).getFirst());
    }

    @Test
    void shouldSayWhatIsKnownOfAnAgent() {
        assertEquals(
                "└─ explorer d95ba9b  completed  3.2s  5 in 7 out  background  unknown parent  Look for it.",
                draw("{`agent_id`:`d95ba9b`,`depth`:1,`background`:true,`status`:`completed`,`subagent_type`:`explorer`,"
                                + "`unknown_parent`:true,`started_ms`:10000,`ended_ms`:13200,`input_tokens`:5,`output_tokens`:7,"
                                + "`prompt`:`Look for it.`}")
                        .getLast());
    }

    @Test
    void shouldSayWhatIsMissing() {
        assertEquals(
                "(the oldest frames are deleted: what only they told is missing)",
                draw("", "idle", false, 0).getLast());
        assertEquals(
                "(3 frames about sub-agents have no place here)",
                draw("", "idle", false, 3).getLast());
    }

    @Test
    void shouldNotLetAnAgentCommandTheTerminal() {
        String line =
                draw("{`agent_id`:`a`,`depth`:1,`background`:false,`status`:`running`,`subagent_type`:`x\\u001b[2J`,"
                                + "`prompt`:`one\\ntwo\\u009b31m \\u202ethree " + "y".repeat(100) + "`}")
                        .get(1);
        assertFalse(line.chars().anyMatch(c -> Character.isISOControl(c) || c == '\u202e'), line);
        assertEquals("└─ x [2J a  running  one two 31m  three " + "y".repeat(41) + "…", line);
    }
}
