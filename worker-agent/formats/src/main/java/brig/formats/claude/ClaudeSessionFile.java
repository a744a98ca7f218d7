package brig.formats.claude;

import brig.formats.adapter.AgentActivity;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.SessionFile;
import brig.formats.claude.ClaudeMessage.Content;
import brig.formats.claude.ClaudeMessage.Place;
import brig.formats.claude.ClaudeMessage.Tokens;
import brig.formats.claude.ClaudeMessage.ToolUseResult;
import brig.formats.claude.TimedTranscripts.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads a Claude Code session from its {@link TimedTranscripts}. A transcript has the messages of {@link
 * ClaudeMessages} and the user's messages. It does not record ends of turns: a turn ends when the model stops for
 * another reason than a tool call. Owned by one thread.
 *
 * <p>Decision 0135.
 */
public final class ClaudeSessionFile implements SessionFile {
    private static final String NOTIFICATION = "<task-notification>";
    private static final String INTERRUPTED = "[Request interrupted by user";
    private static final Set<String> GOES_ON = Set.of("", "tool_use", "pause_turn");

    private final TimedTranscripts transcripts;
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final ClaudeMessages messages;
    /** The turn's tokens by message, as each line of a message repeats them. */
    private final Map<String, Tokens> tokens = new LinkedHashMap<>();

    private final String folder;
    /** Null for a file that is read afterwards, whose times count. */
    private final @Nullable AgentActivity activity;

    private boolean introduced;
    /** The message that ends the turn; empty for none. */
    private String last = "";

    private boolean failed;

    /**
     * @param file the session's own transcript; its sub-agents' are found in Claude Code's usual places
     * @param folder the agent's working folder
     */
    public ClaudeSessionFile(Path file, String folder, AgentFrames frames) {
        this.folder = folder;
        this.frames = frames;
        activity = null;
        turn = new AgentTurn(frames);
        messages = new ClaudeMessages(frames, turn, question -> true);
        transcripts = new TimedTranscripts(file, messages::knows);
    }

    /** A session that goes on meanwhile. */
    ClaudeSessionFile(TranscriptFile own, TimedTranscripts.Others others, AgentFrames frames, AgentActivity activity) {
        this.folder = "";
        this.frames = frames;
        this.activity = activity;
        turn = new AgentTurn(frames, activity);
        messages = new ClaudeMessages(frames, turn, question -> true);
        transcripts = new TimedTranscripts(own, others, messages::knows);
    }

    /** Emits frames for what was written since the last call; as the turn may go on, it does not end here. */
    void takeNew() throws IOException, InterruptedException {
        transcripts.findSubAgents();
        takeAll(false);
    }

    /** Living sub-agents end with the session's process. */
    void handleEnd() throws InterruptedException {
        messages.handleEnd();
    }

    @Override
    public boolean grows() {
        return true;
    }

    @Override
    public String program() {
        return "claude";
    }

    @Override
    public String folder() {
        return folder;
    }

    @Override
    public boolean read() throws IOException, InterruptedException {
        transcripts.findSubAgents();
        boolean said = takeAll(false);
        if (!said) {
            endTurn();
        }
        return said;
    }

    @Override
    public void finish() throws InterruptedException {
        transcripts.findSubAgents();
        transcripts.finish();
        try {
            takeAll(true);
        } catch (IOException unreadable) {
            frames.warned(null, String.valueOf(unreadable.getMessage()));
        }
        endTurn();
    }

    /** @return whether a line was output of the agent */
    private boolean takeAll(boolean atEnd) throws IOException, InterruptedException {
        boolean said = false;
        for (Entry next = transcripts.next(atEnd); next != null; next = transcripts.next(atEnd)) {
            said |= take(next);
        }
        return said;
    }

    private boolean take(Entry entry) throws InterruptedException {
        TranscriptLine line = entry.line();
        if (activity == null) {
            frames.at(millis(entry.time()));
        }
        for (int dropped = entry.dropped(); dropped > 0; dropped--) {
            frames.error("LINE_TOO_LONG", "the agent wrote a line that is too long to be read");
        }
        boolean ofMainAgent = entry.isOwn() && !line.isSidechain();
        Place place =
                new Place(line.agentId(), entry.meta().toolUseId(), entry.meta().agentType());
        switch (line.said()) {
            case TranscriptLine.Assistant said -> {
                if (ofMainAgent) {
                    handleAnswer(said);
                }
                messages.handle(new ClaudeMessage.Assistant(place, said.message(), said.isApiErrorMessage(), null));
            }
            case TranscriptLine.User said -> {
                if (!ofMainAgent || !handleAsked(said)) {
                    messages.handle(new ClaudeMessage.User(place, said.message(), result(said)));
                    if (activity != null) {
                        activity.goesOn();
                    }
                }
            }
            case null -> {
                return false;
            }
        }
        return true;
    }

    private static long millis(String time) {
        try {
            return Math.max(0, Instant.parse(time).toEpochMilli());
        } catch (DateTimeException | ArithmeticException none) {
            return System.currentTimeMillis();
        }
    }

    /**
     * The result of a call. Only the session's own transcript describes a sub-agent's result; elsewhere the sub-agent's
     * files do.
     */
    private ToolUseResult result(TranscriptLine.User line) {
        return line.toolUseResult().agentId() != null
                ? line.toolUseResult()
                : line.message().all(ClaudeBlock.ToolResult.class).stream()
                        .flatMap(result -> transcripts.result(result).stream())
                        .findFirst()
                        .orElse(line.toolUseResult());
    }

    private void handleAnswer(TranscriptLine.Assistant line) throws InterruptedException {
        Content answer = line.message();
        if (!last.isEmpty() && !last.equals(answer.id())) {
            endTurn();
        }
        if (!introduced) {
            introduced = true;
            messages.handle(new ClaudeMessage.Notice(
                    new ClaudeNotice.Init(transcripts.session(), line.version(), answer.model())));
        }
        turn.begin();
        tokens.put(answer.id(), answer.usage());
        if (!GOES_ON.contains(answer.stopReason())) {
            last = answer.id();
            failed = line.isApiErrorMessage();
        }
    }

    /** @return whether it is a user message, typed or generated */
    private boolean handleAsked(TranscriptLine.User line) throws InterruptedException {
        Content asked = line.message();
        if (!asked.all(ClaudeBlock.ToolResult.class).isEmpty()) {
            return false;
        }
        String text = asked.text() != null
                ? asked.text()
                : asked.all(ClaudeBlock.Text.class).stream()
                        .map(ClaudeBlock.Text::text)
                        .collect(Collectors.joining("\n"));
        endTurn();
        if (text.startsWith(INTERRUPTED)) {
            last = turn.cancel() ? INTERRUPTED : "";
        } else if (text.startsWith(NOTIFICATION)) {
            messages.handle(new ClaudeMessage.Notice(new ClaudeNotice.TaskNotification(
                    Objects.requireNonNullElse(within(text, "task-id"), ""),
                    Objects.requireNonNullElse(within(text, "status"), ""),
                    within(text, "summary"))));
        } else if (!line.isMeta() && !text.isEmpty()) {
            frames.asked(line.uuid(), text);
            turn.begin();
        }
        return true;
    }

    /** The text of the first element of that name; null if there is none. */
    private static @Nullable String within(String text, String element) {
        int begin = text.indexOf("<" + element + ">") + element.length() + 2;
        int end = text.indexOf("</" + element + ">");
        return begin < element.length() + 2 || end < begin ? null : text.substring(begin, end);
    }

    private void endTurn() throws InterruptedException {
        if (last.isEmpty()) {
            return;
        }
        last = "";
        Tokens usage = tokens.values().stream().reduce(Tokens.NONE, Tokens::plus);
        tokens.clear();
        messages.handle(new ClaudeMessage.Result("success", failed, List.of(), null, usage, null, null));
        failed = false;
    }
}
