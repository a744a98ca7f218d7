package brig.protocol.frame;

import brig.protocol.ErrorCode;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/**
 * What a client sends on a WebSocket that carries many sessions, beside {@link CaptainLine.Auth} (PROTOCOL.md section
 * 4.4). An {@code id} is any name of a session.
 */
@Tagged(value = "action", unknown = ErrorCode.UNKNOWN_ACTION)
@Extensible
public sealed interface MultiplexLine {
    /** What is about one session. */
    sealed interface OfSession extends MultiplexLine {
        String id();
    }

    /**
     * Wants to read a session.
     *
     * @param token for this session alone; null where that of the connection counts
     */
    record Subscribe(
            @NotEmpty String id,
            @Nullable String token,
            @Flat AttachOptions options) implements OfSession {}

    /** Reads it no longer. */
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

    /** Wants a {@code pong}. */
    record Ping() implements MultiplexLine {}
}
