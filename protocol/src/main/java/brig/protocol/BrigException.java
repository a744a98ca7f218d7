package brig.protocol;

import java.util.OptionalInt;

/** An expected refusal: a code, a sentence for a person that names cause and mend, and no stack trace. */
public final class BrigException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ErrorCode code;
    private final int retryAfterSeconds;
    private transient RefusalDetails details = RefusalDetails.NONE;
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
    public BrigException about(String spawnId, SpawnState state) {
        details = new RefusalDetails(details.queuePosition(), state, spawnId, details.sessionId(), details.messageId());
        return this;
    }

    /** Says all that it is about. */
    public BrigException about(RefusalDetails about) {
        details = about;
        return this;
    }

    /** Says the agent's own id of the spawn that it is about. */
    public BrigException ofSession(String sessionId) {
        details = new RefusalDetails(
                details.queuePosition(), details.state(), details.spawnId(), sessionId, details.messageId());
        return this;
    }

    /** Says which message is refused. */
    public BrigException ofMessage(String messageId) {
        details = new RefusalDetails(
                details.queuePosition(), details.state(), details.spawnId(), details.sessionId(), messageId);
        return this;
    }

    /** Says which place in the queue was given up, from 1. */
    public BrigException atQueuePosition(int position) {
        details = new RefusalDetails(
                position, details.state(), details.spawnId(), details.sessionId(), details.messageId());
        return this;
    }

    /** What was said beside code, message and hint. */
    public RefusalDetails details() {
        return details;
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
