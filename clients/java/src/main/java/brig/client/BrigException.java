package brig.client;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A failure with a code that says what to do next. Most codes are Brig's own (PROTOCOL.md, section 6). This client adds
 * {@code CONNECTION_FAILED} (nothing was asked), {@code CONNECTION_LOST} (nobody knows whether it arrived), {@code TIMEOUT},
 * {@code PROTOCOL_VIOLATION}, {@code FRAMES_LOST} and {@code MESSAGE_FAILED}.
 */
public final class BrigException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** No gateway says more; a server that does would hold its client for good. */
    private static final double RETRY_SECONDS_MAX = 3_600;

    private final String code;
    private final @Nullable Double retryAfterSeconds;
    private final @Nullable String text;
    /** Whether nobody listened there, as while a gateway starts. */
    private final boolean isAbsent;

    BrigException(String code, String message) {
        this(code, message, null, null, false, null);
    }

    BrigException(String code, String message, Throwable cause) {
        this(code, message, null, null, false, cause);
    }

    private BrigException(
            String code,
            String message,
            @Nullable Double retryAfterSeconds,
            @Nullable String text,
            boolean isAbsent,
            @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.retryAfterSeconds = retryAfterSeconds;
        this.text = text;
        this.isAbsent = isAbsent;
    }

    /** Nobody listens there, or whoever listens is a proxy whose gateway is being started. */
    static BrigException absent(String message, @Nullable Throwable cause) {
        return new BrigException("CONNECTION_FAILED", message, null, null, true, cause);
    }

    /** The failure that a line of Brig's, or a problem over HTTP, tells of. */
    static BrigException of(Map<String, @Nullable Object> line) {
        Object error = line.get("error") instanceof String ? line.get("error") : line.get("detail");
        Double retry = line.get("retry_after_seconds") instanceof Number seconds ? seconds.doubleValue() : null;
        boolean isHint = retry != null && retry >= 0 && retry <= RETRY_SECONDS_MAX;
        return new BrigException(
                line.get("code") instanceof String code ? code : "INTERNAL",
                String.valueOf(error),
                isHint ? retry : null,
                null,
                false,
                null);
    }

    /** The same, with what was heard before it. */
    BrigException with(String heard) {
        return new BrigException(code, String.valueOf(getMessage()), retryAfterSeconds, heard, isAbsent, this);
    }

    public String code() {
        return code;
    }

    /** Set where the same may succeed after so long. */
    public @Nullable Double retryAfterSeconds() {
        return retryAfterSeconds;
    }

    /** What {@link Session#text()} had read. */
    public @Nullable String text() {
        return text;
    }

    /** Whether the same may succeed if it is tried again soon. */
    public boolean isPassing() {
        return retryAfterSeconds != null || isAbsent || code.equals("CONNECTION_LOST");
    }
}
