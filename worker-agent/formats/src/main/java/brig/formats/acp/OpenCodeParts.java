package brig.formats.acp;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.ToolCall;
import brig.formats.adapter.ToolProgress;
import brig.protocol.NewestMap;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Tool.Progress;
import brig.protocol.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns message parts into frames: text and thoughts, which arrive in pieces and then whole, and tool calls. A null
 * agent stands for the agent itself. Owned by the thread that reads standard output.
 *
 * <p>Decision 0059.
 */
final class OpenCodeParts {
    private static final int REMEMBERED_MAX = 1000;

    /** The last reported state of a part. */
    private record Part(boolean thought, boolean inPieces) {}

    private final AgentFrames frames;
    private final ToolProgress tools;
    private final Map<String, Part> known = new NewestMap<>(REMEMBERED_MAX);
    /** The user's messages; their parts are prompts and make no frames. */
    private final Map<String, Boolean> prompts = new NewestMap<>(REMEMBERED_MAX);

    OpenCodeParts(AgentFrames frames) {
        this.frames = frames;
        this.tools = new ToolProgress(frames);
    }

    void handleMessage(OpenCodeEvent.Message message) {
        if (message.role().equals("user")) {
            prompts.put(message.id(), true);
        }
    }

    void handleDelta(OpenCodeEvent.PartDelta delta) throws InterruptedException {
        Part part = known.get(delta.partID());
        boolean thought = part != null && part.thought();
        if (delta.field().equals("text")) {
            known.put(delta.partID(), new Part(thought, true));
            frames.said(delta.sessionID(), thought, delta.delta());
        }
    }

    void handlePart(@Nullable String agent, OpenCodePart part) throws InterruptedException {
        if (prompts.containsKey(part.messageID())) {
            return;
        }
        switch (part) {
            case OpenCodePart.Said said -> handleSaid(agent, said);
            case OpenCodePart.Tool tool -> handleTool(agent, tool);
            case OpenCodePart.StepFinish finish -> frames.put(Frame.Usage.of(agent, finish.usage()));
            case OpenCodePart.StepStart start -> {}
        }
    }

    private void handleSaid(@Nullable String agent, OpenCodePart.Said said) throws InterruptedException {
        boolean thought = said instanceof OpenCodePart.Reasoning;
        Part before = known.get(said.id());
        if (said.time().end() != null) {
            known.remove(said.id());
            if (before == null || !before.inPieces()) {
                frames.said(agent, thought, said.text());
            }
        } else if (before == null) {
            known.put(said.id(), new Part(thought, false));
        }
    }

    private void handleTool(@Nullable String agent, OpenCodePart.Tool call) throws InterruptedException {
        OpenCodePart.State state = call.state();
        Progress status = state.status().progress;
        @Nullable
        String output = switch (status) {
            case COMPLETED -> state.output();
            case FAILED -> state.error();
            case PENDING, RUNNING -> null;
        };
        boolean over = status == Progress.COMPLETED || status == Progress.FAILED;
        JsonObject input = state.input();
        tools.update(
                new ToolCall(
                        call.callID(),
                        agent,
                        call.tool(),
                        state.title(),
                        status,
                        input == null || input.isEmpty() ? null : input,
                        output),
                over ? "" : state.metadata().output());
    }
}
