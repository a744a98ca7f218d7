package brig.formats.claude;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.NativeJson;
import brig.formats.adapter.TrackedOutputReader;
import brig.formats.claude.ClaudeMessage.Content;
import brig.formats.claude.ClaudeMessage.Place;
import brig.formats.claude.ClaudeMessage.ToolUseResult;
import brig.protocol.NewestMap;
import brig.protocol.json.JsonObject;
import java.nio.file.Path;
import java.util.Map;

/**
 * Reads a Claude Code that another program controls: the output of {@code claude -p --output-format stream-json
 * --verbose}, and the transcripts of its sub-agents. Content in both is reported once, by whichever is read first.
 * Requests and ends of turns are the other program's business. Owned by one thread at a time.
 *
 * <p>Decision 0135.
 */
public final class ClaudeOutputReader implements TrackedOutputReader.TranscriptSource {
    private static final int TOLD_MAX = 10_000;

    private final ClaudeMessages messages;
    private final ClaudeTranscripts transcripts;
    /** Pieces of sub-agents' messages that were reported. */
    private final Map<String, Boolean> told = new NewestMap<>(TOLD_MAX);

    private String session = "";

    /** @param settings Claude Code's settings folder */
    public ClaudeOutputReader(AgentFrames frames, Path settings) {
        messages = new ClaudeMessages(frames, new AgentTurn(frames), question -> true);
        transcripts = new ClaudeTranscripts(settings.resolve("projects"));
    }

    @Override
    public boolean handle(JsonObject line) throws InterruptedException {
        ClaudeMessage message = ClaudeMessage.read(line);
        if (message instanceof ClaudeMessage.Notice(ClaudeNotice.Init init)
                && !init.sessionId().isEmpty()) {
            session = init.sessionId();
        }
        return messages.handle(
                switch (message) {
                    case ClaudeMessage.Assistant said
                    when said.place().isSubAgent() ->
                        new ClaudeMessage.Assistant(
                                said.place(), untold(said.message()), said.isApiErrorMessage(), said.apiErrorStatus());
                    case ClaudeMessage.User said
                    when said.place().isSubAgent() ->
                        new ClaudeMessage.User(said.place(), untold(said.message()), said.toolUseResult());
                    case null, default -> message;
                });
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

    /** Handles a line of a transcript. Lines of a sub-agent wait until standard output names it. */
    private boolean take(byte[] bytes) throws InterruptedException {
        TranscriptLine line = NativeJson.readLine(bytes).as(TranscriptLine.class);
        String agent = line.agentId();
        if (line.said() == null || agent == null || !session.equals(line.sessionId())) {
            return true;
        }
        if (!messages.knows(agent)) {
            return false;
        }
        Place place = new Place(agent, null, null);
        messages.handle(
                switch (line.said()) {
                    case TranscriptLine.Assistant said ->
                        new ClaudeMessage.Assistant(place, untold(said.message()), said.isApiErrorMessage(), null);
                    case TranscriptLine.User said ->
                        new ClaudeMessage.User(place, untold(said.message()), ToolUseResult.NONE);
                });
        return true;
    }

    /** The message without pieces that were reported before. */
    private Content untold(Content message) {
        return message.with(message.content().stream()
                .filter(piece -> told.put(key(message, piece), true) == null)
                .toList());
    }

    private static String key(Content message, ClaudeMessage.Piece piece) {
        String own = message.id() + " " + piece.type() + " ";
        return switch (piece.block()) {
            case ClaudeBlock.ToolUse call -> "use " + call.id();
            case ClaudeBlock.ToolResult result -> "result " + result.toolUseId();
            case ClaudeBlock.Text text -> own + text.text().hashCode();
            case ClaudeBlock.Thinking thought -> own + thought.thinking().hashCode();
            case ClaudeBlock.RedactedThinking _ -> own;
            case null -> own;
        };
    }
}
