package brig.protocol.frame;

import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import brig.protocol.record.Tagged;
import brig.protocol.spawn.TerminalSize;
import org.jspecify.annotations.Nullable;

/**
 * A line of a client on a multiplexed WebSocket, besides {@link CaptainLine.Auth} (PROTOCOL.md section 4.4). An {@code
 * id} is any name of a session.
 */
@Tagged(value = "action", unknown = ErrorCode.UNKNOWN_ACTION)
@Extensible
public sealed interface MultiplexLine {
    /** A request about one session. */
    sealed interface OfSession extends MultiplexLine {
        String id();
    }

    /**
     * Subscribes to a session.
     *
     * @param token for this session alone; null uses the token of the connection
     * @param windowBytes how much of the stream may be sent beyond what {@link Ack} names; 0 for as much as the connection takes
     */
    record Subscribe(
            @NotEmpty String id,
            @Nullable String token,

            @OmitEmpty @Range(min = WINDOW_BYTES_MIN, max = WINDOW_BYTES_MAX)
            long windowBytes,

            @Flat AttachOptions options)
            implements OfSession {
        public static final long WINDOW_BYTES_MIN = 64 * 1024;
        public static final long WINDOW_BYTES_MAX = 64 * 1024 * 1024;

        /** With as much as the connection takes. */
        public Subscribe(String id, @Nullable String token, AttachOptions options) {
            this(id, token, 0, options);
        }
    }

    /**
     * The client is done with the frames up to that one. Of a session that is not subscribed to, it is ignored: it may just have ended.
     *
     * @param id the spawn_id
     */
    record Ack(
            @NotEmpty String id,
            @Range(min = 1, max = Limits.SEQ_MAX) long seq) implements MultiplexLine {}

    /** Ends the subscription. */
    record Unsubscribe(@NotEmpty String id) implements OfSession {}

    /** A task for the agent, as {@link CaptainLine.UserMessage}. */
    record Send(
            @NotEmpty String id,
            @NotEmpty String content,
            @Nullable String messageId) implements OfSession {}

    /** As {@link CaptainLine.Cancel}. */
    record Cancel(@NotEmpty String id) implements OfSession {}

    /** As {@link CaptainLine.Terminate}. */
    record Terminate(@NotEmpty String id) implements OfSession {}

    /** As {@link CaptainLine.TakeControl}. */
    record TakeControl(@NotEmpty String id) implements OfSession {}

    /** As {@link CaptainLine.ReleaseControl}. */
    record ReleaseControl(@NotEmpty String id) implements OfSession {}

    /** As {@link CaptainLine.AnswerAsk}. */
    record AnswerAsk(
            @NotEmpty String id,
            String askId,
            @Nullable String option,
            @Nullable String text) implements OfSession {}

    /** As {@link CaptainLine.Keys}. */
    record Keys(@NotEmpty String id, String data) implements OfSession {}

    /** As {@link CaptainLine.Resize}. */
    record Resize(
            @NotEmpty String id,
            @Range(min = 1, max = TerminalSize.COLS_MAX) int cols,
            @Range(min = 1, max = TerminalSize.ROWS_MAX) int rows)
            implements OfSession {}

    /**
     * Asks to be told what agents ask, as {@code brig.protocol.api.AskChange}.
     *
     * @param tree any name of a session, whose asks alone are told; null for all that the token reads
     */
    record FollowAsks(@NotEmpty @Nullable String tree) implements MultiplexLine {}

    /**
     * Asks to be told the sessions and what changes of them, as {@code brig.protocol.api.SessionChange}.
     *
     * @param ended how many of those that ended it begins with, the newest
     */
    record FollowSessions(@OmitEmpty @Range(max = ENDED_MAX) int ended) implements MultiplexLine {
        public static final int ENDED_MAX = 1_000;
    }

    /** Requests a {@code pong}. */
    record Ping() implements MultiplexLine {}
}
