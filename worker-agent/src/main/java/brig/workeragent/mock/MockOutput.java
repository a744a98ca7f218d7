package brig.workeragent.mock;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The lines of Claude Code, as far as they matter. Any thread may write. */
final class MockOutput {
    private static final String SESSION = "00000000-0000-4000-8000-000000000001";

    private final OutputStream out;
    private int messages;

    MockOutput(OutputStream out) {
        this.out = out;
    }

    private static Map<String, Object> of(@Nullable Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (namesAndValues[i + 1] != null) {
                object.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
            }
        }
        return object;
    }

    synchronized void bytes(byte[] bytes) {
        try {
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void line(Map<String, ?> object) {
        bytes(Json.writeLine(object));
    }

    void complain(String sentence) {
        System.err.println("brig-mock: " + sentence);
    }

    void state(String state) {
        line(of("type", "system", "subtype", "session_state_changed", "state", state, "session_id", SESSION));
    }

    void init() {
        line(of(
                "type",
                "system",
                "subtype",
                "init",
                "session_id",
                SESSION,
                "model",
                "mock",
                "claude_code_version",
                "brig-mock"));
    }

    void controlAnswered(String request) {
        line(of("type", "control_response", "response", Map.of("subtype", "success", "request_id", request)));
    }

    /** Begins a message of the main agent, whose text comes in pieces. */
    void beginMessage() {
        messages++;
        event(of("type", "message_start", "message", of("id", "msg_" + messages)));
    }

    void piece(String text, boolean thought) {
        event(of(
                "type",
                "content_block_delta",
                "delta",
                thought ? of("type", "thinking_delta", "thinking", text) : of("type", "text_delta", "text", text)));
    }

    private void event(Map<String, ?> event) {
        line(of("type", "stream_event", "event", event, "session_id", SESSION));
    }

    /** All text of the message that was written in pieces, or a message of a sub-agent. */
    void text(@Nullable String agent, String text) {
        assistant(agent, of("type", "text", "text", text), null);
    }

    void apiError(String text, int status) {
        assistant(null, of("type", "text", "text", text), status);
    }

    void toolUse(@Nullable String agent, String id, String name, Map<String, ?> input) {
        assistant(agent, of("type", "tool_use", "id", id, "name", name, "input", input), null);
    }

    /** @param status of the model's answer where it is an error */
    private void assistant(@Nullable String agent, Map<String, ?> block, @Nullable Integer status) {
        line(of(
                "type",
                "assistant",
                "message",
                of("id", "msg_" + messages, "content", List.of(block)),
                "agent_id",
                agent,
                "parent_tool_use_id",
                agent == null ? null : "call_" + agent,
                "session_id",
                SESSION,
                "is_api_error_message",
                status == null ? null : true,
                "api_error_status",
                status));
    }

    void toolResult(@Nullable String agent, String id, String content, boolean failed) {
        line(of(
                "type",
                "user",
                "message",
                of(
                        "role",
                        "user",
                        "content",
                        List.of(of("type", "tool_result", "tool_use_id", id, "content", content, "is_error", failed))),
                "agent_id",
                agent,
                "parent_tool_use_id",
                agent == null ? null : "call_" + agent,
                "session_id",
                SESSION));
    }

    void permission(String id, String tool, String name, Map<String, ?> input) {
        line(of(
                "type",
                "control_request",
                "request_id",
                id,
                "request",
                of("subtype", "can_use_tool", "tool_name", name, "tool_use_id", tool, "input", input)));
    }

    void taskStarted(String id, @Nullable String parent, int depth, String prompt, boolean background) {
        line(of(
                "type",
                "system",
                "subtype",
                "task_started",
                "task_id",
                id,
                "tool_use_id",
                "call_" + id,
                "task_type",
                "local_agent",
                "subagent_type",
                "general-purpose",
                "prompt",
                prompt,
                "spawn_depth",
                depth,
                "parent_task_id",
                parent,
                "is_backgrounded",
                background,
                "session_id",
                SESSION));
    }

    void taskEnded(String id, String status, String summary) {
        line(of(
                "type",
                "system",
                "subtype",
                "task_notification",
                "task_id",
                id,
                "status",
                status,
                "summary",
                summary,
                "session_id",
                SESSION));
    }

    void retry(int attempt, int status) {
        line(of(
                "type",
                "system",
                "subtype",
                "api_retry",
                "attempt",
                attempt,
                "max_retries",
                2,
                "retry_delay_ms",
                50,
                "error_status",
                status,
                "error",
                "scripted",
                "session_id",
                SESSION));
    }

    void result(boolean failed, @Nullable String why, int words) {
        line(of(
                "type",
                "result",
                "subtype",
                failed ? "error_during_execution" : "success",
                "is_error",
                failed,
                "errors",
                why == null ? List.of() : List.of(why),
                "session_id",
                SESSION,
                "usage",
                of("input_tokens", 100, "output_tokens", words),
                "total_cost_usd",
                0.001 * messages));
    }

    /** A line that is no JSON. */
    void noise(String text) {
        bytes((text + "\n").getBytes(UTF_8));
    }
}
