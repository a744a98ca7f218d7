package brig.mcp;

import brig.protocol.VisibleText;
import brig.protocol.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** A request that is being worked on. Thread-safe. */
final class Running {
    private static final int MESSAGE_CHARACTERS_MAX = 200;

    private final McpOutput out;
    /** What the client calls its progress; null if it does not want to know. */
    private final @Nullable Object progressToken;

    // Guarded by this.
    private boolean cancelled;
    private @Nullable Runnable onCancel;

    Running(McpOutput out, @Nullable Object progressToken) {
        this.out = out;
        this.progressToken = progressToken instanceof String || progressToken instanceof Long ? progressToken : null;
    }

    /** @param message shown to a person, on one line */
    void progress(long seconds, long ofSeconds, String message) {
        if (progressToken == null || isCancelled()) {
            return;
        }
        String line = VisibleText.of(message);
        out.notify(
                "notifications/progress",
                JsonObject.EMPTY
                        .with("progressToken", progressToken)
                        .with("progress", seconds)
                        .with("total", ofSeconds)
                        .with("message", line.substring(0, Math.min(line.length(), MESSAGE_CHARACTERS_MAX))));
    }

    /** Runs it when the request is cancelled, at once if it is. */
    void onCancel(Runnable end) {
        synchronized (this) {
            onCancel = end;
            if (!cancelled) {
                return;
            }
        }
        end.run();
    }

    void cancel() {
        Runnable end;
        synchronized (this) {
            cancelled = true;
            end = onCancel;
        }
        if (end != null) {
            end.run();
        }
    }

    synchronized boolean isCancelled() {
        return cancelled;
    }
}
