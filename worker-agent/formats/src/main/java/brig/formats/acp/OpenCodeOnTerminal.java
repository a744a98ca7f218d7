package brig.formats.acp;

import brig.formats.adapter.AgentActivity;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.NativeJson;
import brig.formats.adapter.SubAgents;
import brig.formats.adapter.TranscriptReader;
import brig.protocol.NewestMap;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads OpenCode 1.18 on a terminal: the events of its bus, which the plugin of its profile writes into a file. OpenCode keeps
 * its own record in a database, whose tables change.
 *
 * <p>Owned by the thread that reads the pipe. Decision 0195.
 */
public final class OpenCodeOnTerminal implements TranscriptReader {
    private static final int REMEMBERED_MAX = 1000;

    private final AgentFrames frames;
    private final AgentActivity activity;
    private final OpenCodeEvents events;
    private final OpenCodeParts parts;
    private final SubAgents agents;
    /** The messages of a person, by id, and whether they were told. */
    private final Map<String, Boolean> asked = new NewestMap<>(REMEMBERED_MAX);
    /** Sessions that a sub-agent works in. */
    private final Map<String, Boolean> children = new NewestMap<>(REMEMBERED_MAX);

    private String root = "";

    public OpenCodeOnTerminal(AgentFrames frames, AgentActivity activity) {
        this.frames = frames;
        this.activity = activity;
        this.agents = new SubAgents(frames);
        this.events = new OpenCodeEvents(frames, agents);
        this.parts = new OpenCodeParts(frames);
    }

    @Override
    public void handleLine(String path, byte[] line) throws InterruptedException {
        JsonObject read = NativeJson.readOutput(line, 0, line.length);
        if (read == null) {
            return;
        }
        JsonObject properties = JsonObject.element(read.value("properties"));
        JsonObject info = JsonObject.element(properties.value("info"));
        String session = properties.text("sessionID", info.text("sessionID", info.text("id", "")));
        switch (read.text("type", "")) {
            case "session.created" -> {
                if (info.has("parentID")) {
                    children.put(session, true);
                }
            }
            case "permission.asked" -> activity.waits("wants to use " + properties.text("permission", "a tool"));
            case "question.asked" -> activity.waits("asks a question");
            case "permission.replied", "question.replied", "question.rejected" -> activity.goesOn();
            default -> {}
        }
        OpenCodeEvent event = read.as(Any.class).said();
        if (event == null) {
            return;
        }
        if (children.containsKey(session)) {
            events.handle(event);
        } else if (!session.isEmpty()) {
            handleOwn(session, event);
        }
    }

    /** Any event; null if its type is unknown. */
    @Foreign
    private record Any(@Flat @Nullable OpenCodeEvent said) {}

    /** An event of a session that a person leads. */
    private void handleOwn(String session, OpenCodeEvent event) throws InterruptedException {
        switch (event) {
            case OpenCodeEvent.MessageUpdated(var info) -> {
                parts.handleMessage(info);
                if (info.role().equals("user")) {
                    open(session);
                    asked.putIfAbsent(info.id(), false);
                }
            }
            case OpenCodeEvent.PartUpdated(var of, OpenCodePart.Text text)
            when asked.containsKey(text.messageID()) -> {
                if (!text.synthetic() && Boolean.FALSE.equals(asked.put(text.messageID(), true))) {
                    frames.asked(text.messageID(), text.text());
                }
            }
            case OpenCodeEvent.PartUpdated(var of, var part) -> {
                if (part != null) {
                    parts.handlePart(null, part);
                }
                if (part instanceof OpenCodePart.Tool call) {
                    events.handleTask(session, call);
                }
            }
            case OpenCodeEvent.SessionStatus(var of, var status) -> {
                if (status.type().equals("busy")) {
                    activity.works();
                }
                events.handle(event);
            }
            case OpenCodeEvent.SessionIdle _ -> activity.idles();
            case OpenCodeEvent.SessionError(var of, var error) -> {
                String message = error.data().message();
                frames.error("MODEL_ERROR", message == null ? error.name() : message);
            }
            case OpenCodeEvent.SessionCreated _, OpenCodeEvent.PartDelta _ -> {}
        }
    }

    private void open(String session) throws InterruptedException {
        if (!session.equals(root)) {
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
