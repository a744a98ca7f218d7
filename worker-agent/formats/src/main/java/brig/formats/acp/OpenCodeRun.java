package brig.formats.acp;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.SubAgents;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of {@code opencode run --format json} 1.18: each part of the agent's own session when it is
 * complete. A sub-agent appears only as the completed call that started it. Owned by the reading thread.
 */
public final class OpenCodeRun implements NativeReader.Handler {
    /** A line has a part or an error; both are null if its type is unknown. */
    @Foreign
    @CamelCase
    private record Line(
            @Default("") String sessionID,
            @Nullable OpenCodePart part,
            @Nullable OpenCodeError error) {}

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
        Line line = message.as(Line.class);
        open(line.sessionID());
        if (line.part() != null) {
            handlePart(line.part());
        } else if (line.error() != null) {
            handleError(line.error());
        }
        return line.part() != null || line.error() != null;
    }

    void handlePart(OpenCodePart part) throws InterruptedException {
        parts.handlePart(null, part);
        if (part instanceof OpenCodePart.Tool call) {
            events.handleTask(root, call);
        }
    }

    void handleError(OpenCodeError error) throws InterruptedException {
        String message = error.data().message();
        frames.error("MODEL_ERROR", message == null ? error.name() : message);
    }

    /** Sets the session of the following lines; the first one is the agent's own. */
    void open(String session) throws InterruptedException {
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
