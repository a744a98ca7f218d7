package brig.protocol;

import java.util.Map;
import java.util.OptionalInt;

/** An expected refusal: a code, a sentence for a person that names cause and mend, and no stack trace. */
public final class BrigException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ErrorCode code;
    private final int retryAfterSeconds;
    private transient Map<String, String> subject = Map.of();

    public BrigException(ErrorCode code, String message) {
        this(code, message, 0);
    }

    /** @param retryAfterSeconds hint for the client, 0 for none */
    public BrigException(ErrorCode code, String message, int retryAfterSeconds) {
        super(message, null, false, false);
        this.code = code;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    public ErrorCode code() {
        return code;
    }

    public OptionalInt retryAfterSeconds() {
        return retryAfterSeconds > 0 ? OptionalInt.of(retryAfterSeconds) : OptionalInt.empty();
    }

    /** Says which spawn it is about, and the state that this is in. */
    public BrigException about(String spawnId, String state) {
        subject = Map.of("state", state, "spawn_id", spawnId);
        return this;
    }

    /** {@code state} and {@code spawn_id} where the refusal is about a spawn, else nothing. */
    public Map<String, String> subject() {
        return subject;
    }

    /** The message; never null here, unlike the overridden one. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
