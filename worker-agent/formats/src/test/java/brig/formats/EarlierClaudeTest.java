package brig.formats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.formats.adapter.TrackedOutputReader;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sub-agents in versions of Claude Code that announce none, or with fewer details. */
class EarlierClaudeTest {
    private final ScriptedTalk talk = new ScriptedTalk("claude");

    private List<String> told() {
        return talk.frames(FrameType.SUBAGENT).stream()
                .map(frame -> frame.fields().toString())
                .toList();
    }

    private static String call(String tool, String parentTool, String input) {
        return "{\"type\":\"assistant\",\"parent_tool_use_id\":"
                + (parentTool == null ? "null" : "\"" + parentTool + "\"")
                + ",\"message\":{\"content\":[{\"type\":\"tool_use\",\"name\":\"Task\",\"id\":\"" + tool
                + "\",\"input\":{"
                + input + "}}]}}";
    }

    private static String result(String tool, String content, String rest) {
        return "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"tool_use_id\":\"" + tool
                + "\",\"type\":\"tool_result\",\"content\":" + content + "}]},\"tool_use_result\":" + rest + "}";
    }

    @Test
    void shouldTellOfASubAgentWhenOnlyTheResultOfItsCallDoes() {
        talk.says(call("toolu_1", null, "\"subagent_type\":\"math\",\"prompt\":\"What is 2+2?\""));
        talk.says(result(
                "toolu_1",
                "[\"2 + 2 = 4\"]",
                "{\"status\":\"completed\",\"prompt\":\"What is 2+2?\",\"agentId\":\"a9a57a7\"}"));
        assertEquals(
                List.of(
                        "{agent_id=a9a57a7, session_id=a9a57a7, parent_tool_id=toolu_1, prompt=What is 2+2?,"
                                + " subagent_type=math, depth=1, status=spawned, background=false}",
                        "{agent_id=a9a57a7, session_id=a9a57a7, parent_tool_id=toolu_1, subagent_type=math, depth=1,"
                                + " status=completed, background=false, summary=2 + 2 = 4}"),
                told());
        assertEquals("2 + 2 = 4", talk.frames(FrameType.TOOL).getLast().text("output"));
    }

    @Test
    void shouldEndASubAgentOfASubAgentAsItsResultSaysWhenNoTaskIsAnnounced() {
        talk.says(call("toolu_1", null, "\"subagent_type\":\"outer\",\"prompt\":\"Go.\""));
        talk.says(call("toolu_2", "toolu_1", "\"subagent_type\":\"inner\",\"prompt\":\"Go on.\""));
        talk.says(
                "{\"type\":\"assistant\",\"parent_tool_use_id\":\"toolu_2\",\"message\":{\"content\":[{\"type\":\"text\","
                        + "\"text\":\"I go.\"}]}}");
        talk.says(result("toolu_2", "\"Gone.\"", "{\"status\":\"completed\",\"agentId\":\"ac0d4d2\"}"));
        talk.ends();
        assertEquals(
                "{agent_id=toolu_2, session_id=ac0d4d2, parent_id=toolu_1, parent_tool_id=toolu_2, subagent_type=inner,"
                        + " depth=2, status=completed, background=false, summary=Gone.}",
                told().stream()
                        .filter(frame -> frame.contains("agent_id=toolu_2"))
                        .toList()
                        .getLast());
    }

    @Test
    void shouldSayThatASubAgentGoesOnInTheBackgroundWhenItsResultSaysSo() {
        talk.says("{\"type\":\"system\",\"subtype\":\"task_started\",\"task_type\":\"local_agent\",\"task_id\":\"a1\","
                + "\"tool_use_id\":\"toolu_1\"}");
        talk.says(result(
                "toolu_1", "\"Launched.\"", "{\"isAsync\":true,\"status\":\"async_launched\",\"agentId\":\"a1\"}"));
        assertEquals(
                "{agent_id=a1, session_id=a1, parent_tool_id=toolu_1, depth=1, status=spawned, background=true}",
                told().getLast());
    }

    @Test
    void shouldNotSayThatAThreadOfCodexWasKilledWhenItNeverBegan() throws Exception {
        List<String> told = new ArrayList<>();
        TrackedOutputReader codex = TrackedFormat.CODEX.open(
                (type, body, length) -> {
                    if (type == FrameType.SUBAGENT) {
                        Map<String, Object> frame = Json.parseObject(
                                ("{\"type\":\"subagent\"" + new String(body, 0, length, UTF_8)).getBytes(UTF_8));
                        told.add(frame.get("agent_id") + " " + frame.get("status"));
                    }
                },
                Map.of());
        byte[] lines = ("{\"type\":\"thread.started\",\"thread_id\":\"t0\"}\n"
                        + "{\"type\":\"item.completed\",\"item\":{\"id\":\"i1\",\"type\":\"collab_tool_call\",\"tool\":\"spawn_agent\","
                        + "\"sender_thread_id\":\"t0\",\"receiver_thread_ids\":[\"t1\",\"t2\"],\"agents_states\":{\"t1\":{\"status\":"
                        + "\"pending_init\"},\"t2\":{\"status\":\"running\"}},\"status\":\"completed\"}}\n")
                .getBytes(UTF_8);
        codex.read(lines, 0, lines.length, 1);
        codex.finish(1);
        assertEquals(List.of("t1 spawned", "t2 spawned", "t2 running", "t2 killed"), told);
    }
}
