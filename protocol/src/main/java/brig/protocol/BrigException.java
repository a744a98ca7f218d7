package brig.protocol;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** An expected refusal: a code, a sentence for a person that names cause and mend, and no stack trace. */
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

    public ErrorCode code() {
        return code;
    }

    /** When to come again; never absent where the code says that one should. */
    public OptionalInt retryAfterSeconds() {
        if (retryAfterSeconds > 0) {
            return OptionalInt.of(retryAfterSeconds);
        }
        return code.isRetryable() ? OptionalInt.of(1) : OptionalInt.empty();
    }

    /** Says which spawn it is about, and the state that this is in. */
    public BrigException about(@Nullable String spawnId, @Nullable String state) {
        hints = hints.about(spawnId, state);
        return this;
    }

    /** Says which place the request has in the queue. */
    public BrigException withQueuePosition(int position) {
        hints = hints.withQueuePosition(position);
        return this;
    }

    /** Says what the agent calls its session. */
    public BrigException withSessionId(@Nullable String sessionId) {
        hints = hints.withSessionId(sessionId);
        return this;
    }

    /** Says which message was refused. */
    public BrigException withMessageId(@Nullable String messageId) {
        hints = hints.withMessageId(messageId);
        return this;
    }

    /** What is said beside code and message, {@link #retryAfterSeconds} among it. */
    public Hints hints() {
        return hints.withRetryAfterSeconds(
                retryAfterSeconds().isPresent()
                        ? Integer.valueOf(retryAfterSeconds().getAsInt())
                        : null);
    }

    /** Answers HTTP with another status than its code does. */
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
