package brig.formats.acp;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.ToolCall;
import brig.formats.adapter.ToolProgress;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Tool.Progress;
import brig.protocol.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parts of messages, a sub-agent's or, for no agent, those of the agent itself: text and thoughts, which come piece by piece and then whole, and tool calls.
 * Owned by the thread that reads standard output.
 *
 * <p>Decision 0059.
 */
final class OpenCodeParts {
    private static final int REMEMBERED_MAX = 1000;

    /** A part as it was when it was told last. */
    private record Part(boolean thought, boolean inPieces) {}

    private static final class Recent<T> extends LinkedHashMap<String, T> {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
            return size() > REMEMBERED_MAX;
        }
    }

    private final AgentFrames frames;
    private final ToolProgress tools;
    private final Map<String, Part> known = new Recent<>();
    /** Messages of the user, whose parts are the prompt. */
    private final Map<String, Boolean> prompts = new Recent<>();

    OpenCodeParts(AgentFrames frames) {
        this.frames = frames;
        this.tools = new ToolProgress(frames);
    }

    void noteRole(JsonObject message) {
        if (message.text("role", "").equals("user")) {
            prompts.put(message.text("id", ""), true);
        }
    }

    void handleDelta(String agent, JsonObject delta) throws InterruptedException {
        String id = delta.text("partID", "");
        Part part = known.get(id);
        boolean thought = part != null && part.thought();
        if (delta.text("field", "").equals("text")) {
            known.put(id, new Part(thought, true));
            frames.said(agent, thought, delta.text("delta", ""));
        }
    }

    void handlePart(@Nullable String agent, JsonObject part) throws InterruptedException {
        if (prompts.containsKey(part.text("messageID", ""))) {
            return;
        }
        switch (part.text("type", "")) {
            case "text" -> handleText(agent, part, false);
            case "reasoning" -> handleText(agent, part, true);
            case "tool" -> handleTool(agent, part);
            case "step-finish" -> frames.put(Frame.Usage.of(agent, OpenCodeCalls.usage(part)));
            default -> {}
        }
    }

    private void handleText(@Nullable String agent, JsonObject part, boolean thought) throws InterruptedException {
        String id = part.text("id", "");
        Part before = known.get(id);
        if (part.object("time").has("end")) {
            known.remove(id);
            if (before == null || !before.inPieces()) {
                frames.said(agent, thought, part.text("text", ""));
            }
        } else if (before == null) {
            known.put(id, new Part(thought, false));
        }
    }

    private void handleTool(@Nullable String agent, JsonObject part) throws InterruptedException {
        JsonObject state = part.object("state");
        Progress status = switch (state.text("status", "")) {
            case "pending" -> Progress.PENDING;
            case "completed" -> Progress.COMPLETED;
            case "error" -> Progress.FAILED;
            default -> Progress.RUNNING;
        };
        boolean over = status == Progress.COMPLETED || status == Progress.FAILED;
        JsonObject input = state.object("input");
        @Nullable String output = state.text(status == Progress.FAILED ? "error" : "output");
        tools.update(
                new ToolCall(
                        part.text("callID", ""),
                        agent,
                        part.text("tool"),
                        state.text("title"),
                        status,
                        input.isEmpty() ? null : input,
                        over ? output : null),
                over ? "" : state.object("metadata").text("output", ""));
    }
}
