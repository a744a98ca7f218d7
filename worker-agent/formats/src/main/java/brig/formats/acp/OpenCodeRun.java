package brig.formats.acp;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.SubAgents;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;

/**
 * What {@code opencode run --format json} 1.18 writes: the parts of the agent's own session, each when it is over. Of a
 * sub-agent there is the call that started it, when that is over. Owned by the thread that reads.
 */
public final class OpenCodeRun implements NativeReader.Handler {
    private final AgentFrames frames;
    private final SubAgents agents;
    private final OpenCodeEvents events;
    private final OpenCodeParts parts;
    private String root = "";

    public OpenCodeRun(AgentFrames frames) {
        this.frames = frames;
        this.agents = new SubAgents(frames);
        this.events = new OpenCodeEvents(frames, agents);
        this.parts = new OpenCodeParts(frames);
    }

    @Override
    public boolean handle(JsonObject message) throws InterruptedException {
        open(message.text("sessionID", ""));
        JsonObject part = message.object("part");
        switch (message.text("type", "")) {
            case "step_start" -> {}
            case "text", "reasoning", "step_finish" -> parts.handlePart(null, part);
            case "tool_use" -> {
                parts.handlePart(null, part);
                events.handlePart(root, part);
            }
            case "error" -> {
                JsonObject error = message.object("error");
                frames.error("MODEL_ERROR", error.object("data").text("message", error.text("name", "unknown")));
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void open(String session) throws InterruptedException {
        if (root.isEmpty() && !session.isEmpty()) {
            root = session;
            events.open(session);
            frames.put(new Frame.Session(session, "opencode", null, null));
        }
    }

    @Override
    public void handleEnd() throws InterruptedException {
        agents.allKilled();
    }
}
