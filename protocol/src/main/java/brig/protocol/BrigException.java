package brig.protocol;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** An expected refusal: an error code and a sentence that names the cause and the remedy. It has no stack trace. */
public final class BrigException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ErrorCode code;
    private final int retryAfterSeconds;
    private transient Hints hints = Hints.NONE;
    private int httpStatus;

    public BrigException(ErrorCode code, String message) {
        this(code, message, 0);
    }

    /** @param retryAfterSeconds hint for the client, 0 for none */
    public BrigException(ErrorCode code, String message, int retryAfterSeconds) {
        super(message, null, false, false);
        this.code = code;
        this.retryAfterSeconds = retryAfterSeconds;
        this.httpStatus = code.httpStatus();
    }

    /** {@code INVALID_FIELD}. The message is {@code field 'x'} and then why it is refused. */
    public static BrigException invalid(String field, String why) {
        return new BrigException(ErrorCode.INVALID_FIELD, "field '" + field + "' " + why);
    }

    public ErrorCode code() {
        return code;
    }

    /** When the client should retry; never empty if the code is retryable later. */
    public OptionalInt retryAfterSeconds() {
        if (retryAfterSeconds > 0) {
            return OptionalInt.of(retryAfterSeconds);
        }
        return code.isRetryable() ? OptionalInt.of(1) : OptionalInt.empty();
    }

    /** Adds the spawn that the refusal is about, and its state. */
    public BrigException about(@Nullable String spawnId, @Nullable String state) {
        hints = hints.about(spawnId, state);
        return this;
    }

    /** Adds the position of the request in the queue. */
    public BrigException withQueuePosition(int position) {
        hints = hints.withQueuePosition(position);
        return this;
    }

    /** Adds the agent's own session id. */
    public BrigException withSessionId(@Nullable String sessionId) {
        hints = hints.withSessionId(sessionId);
        return this;
    }

    /** Adds the id of the refused message. */
    public BrigException withMessageId(@Nullable String messageId) {
        hints = hints.withMessageId(messageId);
        return this;
    }

    /** Adds the id of the ask whose answer is refused. */
    public BrigException withAskId(@Nullable String askId) {
        hints = hints.withAskId(askId);
        return this;
    }

    /** All fields beside code and message, including {@link #retryAfterSeconds}. */
    public Hints hints() {
        return hints.withRetryAfterSeconds(
                retryAfterSeconds().isPresent()
                        ? Integer.valueOf(retryAfterSeconds().getAsInt())
                        : null);
    }

    /** Overrides the HTTP status of the code. */
    public BrigException withHttpStatus(int status) {
        httpStatus = status;
        return this;
    }

    public int httpStatus() {
        return httpStatus;
    }

    /** The message; never null here, unlike the overridden one. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
