package brig.protocol;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** An expected refusal: a code, a sentence for a person that names cause and mend, and no stack trace. */
public final class BrigException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ErrorCode code;
    private final int retryAfterSeconds;
    private transient Map<String, Object> fields = Map.of();
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
    public BrigException about(String spawnId, String state) {
        return with("state", state).with("spawn_id", spawnId);
    }

    /** Says something more: a field of the answer beside {@code code}. */
    public BrigException with(String field, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(fields);
        more.put(field, value);
        fields = more;
        return this;
    }

    /** What was said beside code, message and hint: {@code state} and {@code spawn_id} of a spawn, for one. */
    public Map<String, Object> fields() {
        return fields;
    }

    /** Answers HTTP with another status than its code does. */
    public BrigException withHttpStatus(int status) {
        httpStatus = status;
        return this;
    }

    public int httpStatus() {
        return httpStatus;
    }

    /** The whole answer where a session is not ready: what whoever waits for it has to know, and nothing else. */
    public Map<String, @Nullable Object> notReady() {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("success", false);
        answer.put("code", code.name());
        for (String field : List.of("state", "spawn_id", "session_id")) {
            answer.put(field, fields.get(field));
        }
        answer.put("retry_after_seconds", retryAfterSeconds().orElse(1));
        return answer;
    }

    /** The message; never null here, unlike the overridden one. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
