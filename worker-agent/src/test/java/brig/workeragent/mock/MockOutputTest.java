package brig.workeragent.mock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The lines of Claude Code as the mock writes them. */
class MockOutputTest {
    private static final String SESSION = "\"session_id\":\"00000000-0000-4000-8000-000000000001\"";

    private static String line(Consumer<MockOutput> writes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writes.accept(new MockOutput(out));
        return out.toString(UTF_8).strip();
    }

    @Test
    void shouldWriteWhatBelongsToTheMainAgentWithoutAnId() {
        assertEquals(
                "{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"idle\"," + SESSION + "}",
                line(output -> output.state("idle")));
        assertEquals(
                "{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"thinking_delta\","
                        + "\"thinking\":\"hm\"}}," + SESSION + "}",
                line(output -> output.piece("hm", true)));
        assertEquals(
                "{\"type\":\"assistant\",\"message\":{\"id\":\"msg_0\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\","
                        + "\"name\":\"Bash\",\"input\":{\"command\":\"ls\"}}]}," + SESSION + "}",
                line(output -> output.toolUse(null, "t1", "Bash", Map.of("command", "ls"))));
        assertEquals(
                "{\"type\":\"assistant\",\"message\":{\"id\":\"msg_0\",\"content\":[{\"type\":\"text\",\"text\":\"no\"}]},"
                        + SESSION + ",\"is_api_error_message\":true,\"api_error_status\":529}",
                line(output -> output.apiError("no", 529)));
        assertEquals(
                "{\"type\":\"control_request\",\"request_id\":\"p\",\"request\":{\"subtype\":\"can_use_tool\","
                        + "\"tool_name\":\"Bash\",\"tool_use_id\":\"t1\",\"input\":{\"command\":\"true\"}}}",
                line(output -> output.permission(null, "p", "t1", "Bash", Map.of("command", "true"))));
    }

    @Test
    void shouldNameASubAgentAndItsCall() {
        assertEquals(
                "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
                        + "\"tool_use_id\":\"t1\",\"content\":\"ok\",\"is_error\":false}]},\"agent_id\":\"a\","
                        + "\"parent_tool_use_id\":\"call_a\"," + SESSION + "}",
                line(output -> output.toolResult("a", "t1", "ok", false)));
        assertEquals(
                "{\"type\":\"system\",\"subtype\":\"task_started\",\"task_id\":\"a\",\"tool_use_id\":\"call_a\","
                        + "\"task_type\":\"local_agent\",\"subagent_type\":\"general-purpose\",\"prompt\":\"do\","
                        + "\"spawn_depth\":2,\"parent_task_id\":\"b\",\"is_backgrounded\":true," + SESSION + "}",
                line(output -> output.taskStarted("a", "b", 2, "do", true)));
        assertEquals(
                "{\"type\":\"control_request\",\"request_id\":\"p\",\"request\":{\"subtype\":\"can_use_tool\","
                        + "\"tool_name\":\"Bash\",\"tool_use_id\":\"t1\",\"input\":{\"command\":\"true\"},\"agent_id\":\"a\"}}",
                line(output -> output.permission("a", "p", "t1", "Bash", Map.of("command", "true"))));
    }
}
