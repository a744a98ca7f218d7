package brig.acp;

import brig.protocol.json.Fields;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Frames of a session as {@code session/update}: the agent's words are its message; what it thinks, what its program says
 * about itself and what Brig has to say are thoughts; tools and sub-agents are tool calls. Owned by the thread that
 * reads the session.
 *
 * <p>Decision 0082.
 */
final class SessionUpdates {
    /** Takes an update, or a notification of the protocol's extension. */
    interface Sink {
        void update(Map<String, ?> update);
    }

    private final Sink sink;
    private final ToolCalls calls;

    SessionUpdates(PathMapping places, Sink sink) {
        this.sink = sink;
        this.calls = new ToolCalls(places, sink);
    }

    /** The fields under {@code _meta} that are Brig's own. */
    static Map<String, ?> meta(Map<String, ?> fields) {
        return Map.of("brig", fields);
    }

    static Map<String, ?> text(String text) {
        return Map.of("type", "text", "text", text);
    }

    void handle(Fields frame) {
        String agent = frame.text("agent");
        switch (frame.text("type", "")) {
            case "chunk" -> handleChunk(frame, agent);
            case "tool" -> calls.handleTool(frame);
            case "subagent" -> calls.handleSubAgent(frame);
            case "plan" -> handlePlan(frame, agent);
            case "permission" -> {
                if (frame.text("decision", "").equals("deny")) {
                    note("the agent's profile refused " + frame.text("name", "what it asked for"));
                }
            }
            case "egress" -> {
                if (frame.text("kind", "").equals("blocked")) {
                    note("blocked " + frame.text("method", "") + " " + frame.text("host", "") + frame.text("path", "")
                            + ": " + frame.text("rule", ""));
                }
            }
            case "error" -> note(frame.text("code", "") + ": " + frame.text("error", ""));
            default -> {
                // Usage is in the answer to the prompt; the rest has no place here.
            }
        }
    }

    private void handleChunk(Fields frame, @Nullable String agent) {
        String content = frame.text("content", "");
        String tool = frame.text("tool");
        String stream = frame.text("stream", "");
        if (tool != null) {
            calls.handleOutput(tool, content);
        } else if (agent != null) {
            calls.handleSaid(agent, content);
        } else {
            boolean message = stream.equals("text") || stream.equals("stdout");
            say(message ? "agent_message_chunk" : "agent_thought_chunk", content, null);
        }
    }

    /** What Brig has to tell the user; it is no word of the agent. */
    void note(String sentence) {
        say("agent_thought_chunk", "\n[brig] " + sentence + "\n", null);
    }

    /** What a user said to the agent. */
    void user(String messageId, String content) {
        say("user_message_chunk", content, messageId);
    }

    private void say(String kind, String content, @Nullable String messageId) {
        Map<String, Object> update = new LinkedHashMap<>();
        update.put("sessionUpdate", kind);
        update.put("content", text(content));
        if (messageId != null) {
            update.put("messageId", messageId);
        }
        sink.update(update);
    }

    private void handlePlan(Fields frame, @Nullable String agent) {
        if (agent != null) {
            return;
        }
        List<Map<String, String>> entries = new ArrayList<>();
        for (Fields entry : frame.objects("entries")) {
            String status = entry.text("status", "pending");
            entries.add(Map.of(
                    "content",
                    entry.text("content", ""),
                    "priority",
                    "medium",
                    "status",
                    status.equals("in_progress") || status.equals("completed") ? status : "pending"));
        }
        sink.update(Map.of("sessionUpdate", "plan", "entries", entries));
    }

    /** What was held back for a moment, so that a burst of small pieces is one update. */
    void flush() {
        calls.flush();
    }
}
