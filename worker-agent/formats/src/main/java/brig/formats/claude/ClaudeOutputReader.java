package brig.formats.claude;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.FrameSink;
import brig.formats.adapter.NativeObject;
import brig.formats.adapter.TrackedOutputReader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
    public boolean handle(NativeObject message) throws InterruptedException {
        if (message.text("subtype", "").equals("init")) {
            session = message.text("session_id", session);
        }
        boolean ofSubAgent = message.has("parent_tool_use_id") || message.has("agent_id");
        boolean whole = message.text("type", "").equals("assistant")
                || message.text("type", "").equals("user");
        return messages.handle(ofSubAgent && whole ? untold(message.asMap()) : message);
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
        NativeObject written = NativeObject.read(line);
        String type = written.text("type", "");
        boolean said = type.equals("assistant") || type.equals("user");
        if (!said || !written.text("sessionId", "").equals(session) || !written.has("agentId")) {
            return true;
        }
        String agent = written.text("agentId", "");
        if (!messages.knows(agent)) {
            return false;
        }
        messages.handle(untold(AgentFrames.fields(
                "type",
                type,
                "agent_id",
                agent,
                "session_id",
                session,
                "message",
                written.object("message").asMap(),
                "isApiErrorMessage",
                written.value("isApiErrorMessage"))));
        return true;
    }

    /** The message without the pieces that were told before. */
    private NativeObject untold(Map<String, ? extends @Nullable Object> message) {
        NativeObject content = NativeObject.of(message).object("message");
        List<NativeObject> pieces = content.objects("content");
        Map<String, @Nullable Object> rest = new LinkedHashMap<>(content.asMap());
        if (!pieces.isEmpty()) {
            rest.put(
                    "content",
                    pieces.stream()
                            .filter(piece -> told.put(key(content, piece), true) == null)
                            .map(NativeObject::asMap)
                            .toList());
        }
        Map<String, @Nullable Object> whole = new LinkedHashMap<>(message);
        whole.put("message", rest);
        return NativeObject.of(whole);
    }

    private static String key(NativeObject content, NativeObject piece) {
        return switch (piece.text("type", "")) {
            case "tool_use" -> "use " + piece.text("id", "");
            case "tool_result" -> "result " + piece.text("tool_use_id", "");
            default ->
                content.text("id", "") + " " + piece.text("type", "") + " "
                        + piece.text("text", piece.text("thinking", "")).hashCode();
        };
    }
}
