package brig.protocol.frame;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.Range;
import brig.protocol.record.Tagged;
import brig.protocol.spawn.TerminalSize;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A line of a captain or watcher on a connection that reads one session (PROTOCOL.md section 3). */
public sealed interface CaptainLine {
    /** The first line of a connection without a token in its handshake. */
    @Extensible
    record Auth(String auth, @Flat AttachOptions options) implements CaptainLine {}

    /** The token of that line, which is checked before its other fields are read. */
    @Extensible
    record Token(String auth) {}

    /** A request of a captain that may write to the session. */
    sealed interface Order extends CaptainLine {}

    /**
     * A task for the agent.
     *
     * @param role always {@code user}
     * @param messageId the captain's id for it, which makes it idempotent
     */
    @Extensible
    record UserMessage(
            @NotEmpty String role,
            @NotEmpty String content,
            @Nullable String messageId) implements Order {
        private static final String USER = "user";
        private static final Pattern MESSAGE_ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");

        public UserMessage {
            if (!role.equals(USER)) {
                throw BrigException.invalid("role", "must be \"user\"");
            }
            if (messageId != null && !MESSAGE_ID.matcher(messageId).matches()) {
                throw BrigException.invalid("message_id", "must match " + MESSAGE_ID);
            }
        }

        /** @throws BrigException {@code INVALID_FIELD} if the id is invalid */
        public static UserMessage of(String content, @Nullable String messageId) {
            return new UserMessage(USER, content, messageId);
        }
    }

    /** A request other than a message. */
    @Tagged(value = "action", unknown = ErrorCode.UNKNOWN_ACTION)
    @Extensible
    sealed interface Action extends Order {}

    /** Interrupts the current message. */
    record Cancel() implements Action {}

    /** Ends the session. */
    record Terminate() implements Action {}

    /** Takes control from the captain that holds it. */
    record TakeControl() implements Action {}

    /** Gives control back. */
    record ReleaseControl() implements Action {}

    /**
     * Answers what the agent of this session, or of one that works for it, asks. Approvers may send it too.
     *
     * @param option the id of an offered option; null if a text is the answer
     * @param text the answer in own words
     */
    record AnswerAsk(
            String askId, @Nullable String option, @Nullable String text) implements Action {
        public AnswerAsk {
            if (!Ids.isAskId(askId)) {
                throw BrigException.invalid("ask_id", "must be ask_ and 24 characters 0-9 a-z");
            }
        }
    }

    /** What a person does at the agent's terminal. */
    @Tagged("type")
    @Extensible
    sealed interface AtTerminal extends Order {}

    /**
     * Keys for the agent's terminal.
     *
     * @param data what a terminal sends for them, 1 to {@link #BYTES_MAX} bytes of UTF-8
     */
    record Keys(String data) implements AtTerminal {
        public static final int BYTES_MAX = 16 * 1024;

        public Keys {
            int bytes = data.length() > BYTES_MAX ? data.length() : data.getBytes(StandardCharsets.UTF_8).length;
            if (bytes < 1 || bytes > BYTES_MAX) {
                throw BrigException.invalid("data", "must be 1 to " + BYTES_MAX + " bytes");
            }
        }
    }

    /** The size of the captain's own terminal from now on. */
    record Resize(
            @Range(min = 1, max = TerminalSize.COLS_MAX) int cols,
            @Range(min = 1, max = TerminalSize.ROWS_MAX) int rows)
            implements AtTerminal {
        public Resize {
            if (cols == 0 || rows == 0) {
                throw BrigException.invalid(cols == 0 ? "cols" : "rows", "is missing");
            }
        }

        public TerminalSize size() {
            return new TerminalSize(cols, rows);
        }
    }

    /** Requests a {@code pong}; watchers may send it too. */
    record Ping() implements Action {}

    /**
     * Reads a line after authentication.
     *
     * @throws BrigException {@code UNKNOWN_ACTION}, or {@code INVALID_FIELD} for an object that is none of these
     */
    static Order order(JsonObject line) {
        if (line.has("action")) {
            return line.as(Action.class);
        }
        return line.has("type") && !line.has("role") ? line.as(AtTerminal.class) : line.as(UserMessage.class);
    }
}
