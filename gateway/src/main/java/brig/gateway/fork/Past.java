package brig.gateway.fork;

import brig.protocol.frame.Frame;
import brig.protocol.log.Redaction;
import brig.protocol.spawn.SpawnRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What happened in a session, shortened: how it began, and the newest of what people and the agent said and what tools
 * were used. What looks like a secret is left out. Owned by the event loop.
 *
 * <p>Decisions 0209, 0212.
 */
final class Past {
    /** Written as JSON it fits into one frame, whatever its characters are. */
    private static final int CHARACTERS_MAX = 8_000;

    private static final int FIRST_CHARACTERS_MAX = 2_000;
    private static final int ENTRY_CHARACTERS_MAX = 1_000;
    private static final int TOOL_CHARACTERS_MAX = 200;
    private static final int LATER_CHARACTERS_MAX = CHARACTERS_MAX - FIRST_CHARACTERS_MAX - 1_000;
    /** Many times what is shown of one answer. */
    private static final int COLLECTED_CHARACTERS_MAX = 16 * ENTRY_CHARACTERS_MAX;

    private final StringBuilder message = new StringBuilder();
    private final StringBuilder words = new StringBuilder();
    private final Deque<String> later = new ArrayDeque<>();
    private @Nullable String first;
    private int laterCharacters;
    private boolean leftOut;
    /** The agent's own id of its session. */
    private @Nullable String session;
    /** A turn runs, or may run. */
    private boolean working;
    /** The conversation went on, or may have, after the frames that count. */
    private boolean wentOn;

    void handle(@Nullable Frame frame) {
        switch (frame) {
            case Frame.Session begun -> session = begun.sessionId();
            case Frame.Message piece -> {
                working = true;
                endWords();
                collect(message, piece.content());
                if (!piece.more()) {
                    add("Person", message.toString());
                    message.setLength(0);
                }
            }
            case Frame.Chunk chunk when chunk.isOwnWords() -> collect(words, chunk.content());
            case Frame.Tool tool
            when tool.agent() == null && tool.name() != null -> {
                endWords();
                String title = tool.title();
                add("Tool", Redaction.redact(title == null ? tool.name() : title, TOOL_CHARACTERS_MAX));
            }
            case Frame.Forked forked when forked.summary() != null -> add("Before that", forked.summary());
            case Frame.Done _ -> {
                endWords();
                working = false;
            }
            case null, default -> {
                // What Brig did, and what sub-agents did, which their agent sums up.
            }
        }
    }

    /** A frame after those that count. */
    void handleLater(@Nullable Frame frame) {
        wentOn |= switch (frame) {
            case Frame.Message _, Frame.Session _ -> true;
            case Frame.Chunk chunk -> chunk.isOwnWords();
            case Frame.Tool tool -> tool.agent() == null;
            case null, default -> false;
        };
    }

    /** Frames are missing. */
    void handleGap() {
        endWords();
        leftOut = true;
        working = true;
    }

    void handleLaterGap() {
        wentOn = true;
    }

    /** The agent's own session, if its conversation ends with the frames that count; null otherwise. */
    @Nullable
    String session() {
        return working || wentOn || session == null || !SpawnRequest.Continuation.isSession(session) ? null : session;
    }

    private static void collect(StringBuilder text, String more) {
        text.append(more, 0, Math.min(more.length(), COLLECTED_CHARACTERS_MAX - text.length()));
    }

    private void endWords() {
        String said = words.toString().strip();
        words.setLength(0);
        if (!said.isEmpty()) {
            add("Agent", said);
        }
    }

    private void add(String who, String text) {
        if (first == null) {
            first = entry(who, text, FIRST_CHARACTERS_MAX);
            return;
        }
        String entry = entry(who, text, ENTRY_CHARACTERS_MAX);
        later.add(entry);
        laterCharacters += entry.length();
        while (laterCharacters > LATER_CHARACTERS_MAX) {
            laterCharacters -= later.removeFirst().length();
            leftOut = true;
        }
    }

    private static String entry(String who, String text, int charactersMax) {
        return who + ": " + Redaction.redact(text.strip(), charactersMax) + "\n";
    }

    /** The summary for the agent of a fork; null if nothing happened. */
    @Nullable
    String summary(String taskId, long seq) {
        endWords();
        if (first == null) {
            return null;
        }
        return "[Brig] This session is a fork: it begins where the session " + taskId + " was at its frame " + seq
                + ". Its files are as they were then. You do not know that session; this is what happened in it, shortened:\n\n"
                + first
                + (leftOut ? "(Something is left out here.)\n" : "")
                + String.join("", later)
                + "\n[Brig] That is the end of the summary. What follows is your task.";
    }
}
