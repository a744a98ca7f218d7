package brig.formats.claude;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.FrameSink;
import brig.formats.adapter.NativeJson;
import brig.formats.adapter.TrackedOutputReader;
import brig.protocol.json.JsonObject;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Claude Code as others talk with it: what {@code claude -p --output-format stream-json --verbose} writes, and the
 * transcripts of its sub-agents. What both have is told once, by whichever was read first. Questions are for others to
 * answer, messages for others to end. Owned by one thread at a time.
 *
 * <p>Decision 0135.
 */
public final class ClaudeOutputReader implements TrackedOutputReader.TranscriptSource {
    private static final int TOLD_MAX = 10_000;

    private final ClaudeMessages messages;
    private final ClaudeTranscripts transcripts;
    /** Pieces of sub-agents' messages that were told. */
    private final Map<String, Boolean> told = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > TOLD_MAX;
        }
    };

    private String session = "";

    /** @param settings where Claude Code keeps what is its own */
    public ClaudeOutputReader(AgentFrames frames, FrameSink sink, Path settings) {
        AgentTask nothing = new AgentTask("/", null, null, null, false, false);
        AgentTurn none = new AgentTurn(frames, new Context(sink, bytes -> false, () -> {}, nothing));
        messages = new ClaudeMessages(frames, none, question -> true, answer -> {});
        transcripts = new ClaudeTranscripts(settings.resolve("projects"));
    }

    @Override
    public boolean handle(JsonObject message) throws InterruptedException {
        if (message.text("subtype", "").equals("init")) {
            session = message.text("session_id", session);
        }
        boolean ofSubAgent = message.has("parent_tool_use_id") || message.has("agent_id");
        boolean whole = message.text("type", "").equals("assistant")
                || message.text("type", "").equals("user");
        return messages.handle(ofSubAgent && whole ? untold(message) : message);
    }

    @Override
    public void handleEnd() throws InterruptedException {
        messages.handleEnd();
    }

    @Override
    public void look() throws InterruptedException {
        if (!session.isEmpty()) {
            transcripts.read(session, this::take);
        }
    }

    /** A line of a transcript. One of a sub-agent that standard output did not name yet waits until it does. */
    private boolean take(byte[] line) throws InterruptedException {
        JsonObject written = NativeJson.readLine(line);
        String type = written.text("type", "");
        boolean said = type.equals("assistant") || type.equals("user");
        if (!said || !written.text("sessionId", "").equals(session) || !written.has("agentId")) {
            return true;
        }
        String agent = written.text("agentId", "");
        if (!messages.knows(agent)) {
            return false;
        }
        messages.handle(untold(JsonObject.builder()
                .put("type", type)
                .put("agent_id", agent)
                .put("session_id", session)
                .put("message", written.object("message"))
                .put("isApiErrorMessage", written.value("isApiErrorMessage"))
                .build()));
        return true;
    }

    /** The message without the pieces that were told before. */
    private JsonObject untold(JsonObject message) {
        JsonObject content = message.object("message");
        List<JsonObject> pieces = content.objects("content");
        if (pieces.isEmpty()) {
            return message;
        }
        List<JsonObject> rest = pieces.stream()
                .filter(piece -> told.put(key(content, piece), true) == null)
                .toList();
        return message.with("message", content.with("content", rest));
    }

    private static String key(JsonObject content, JsonObject piece) {
        return switch (piece.text("type", "")) {
            case "tool_use" -> "use " + piece.text("id", "");
            case "tool_result" -> "result " + piece.text("tool_use_id", "");
            default ->
                content.text("id", "") + " " + piece.text("type", "") + " "
                        + piece.text("text", piece.text("thinking", "")).hashCode();
        };
    }
}
