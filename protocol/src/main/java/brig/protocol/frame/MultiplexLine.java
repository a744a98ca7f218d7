package brig.protocol.frame;

import brig.protocol.ErrorCode;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.Tagged;
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
     */
    record Subscribe(
            @NotEmpty String id,
            @Nullable String token,
            @Flat AttachOptions options) implements OfSession {}

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

    /**
     * Asks to be told what agents ask, as {@code brig.protocol.api.AskChange}.
     *
     * @param tree any name of a session, whose asks alone are told; null for all that the token reads
     */
    record FollowAsks(@NotEmpty @Nullable String tree) implements MultiplexLine {}

    /** Requests a {@code pong}. */
    record Ping() implements MultiplexLine {}
}
