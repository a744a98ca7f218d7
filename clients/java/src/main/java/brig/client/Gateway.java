package brig.client;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A way to a gateway. */
interface Gateway {
    /** The protocol's limit of a frame. */
    int FRAME_BYTES_MAX = 65_536;
    /** A list has up to 64 asks of each session, with up to 17 KiB each. */
    int ANSWER_BYTES_MAX = 16 * 1_048_576;

    /** One thread for the limits of all clients. */
    ScheduledExecutorService ALARMS = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "brig-alarms");
        thread.setDaemon(true);
        return thread;
    });

    /** Runs something when the time is over, unless it is cancelled before. */
    static Future<?> after(Duration limit, Runnable task) {
        return ALARMS.schedule(task, Math.max(0, limit.toMillis()), TimeUnit.MILLISECONDS);
    }

    /**
     * One action of the spawner socket, and its answer.
     *
     * @throws BrigException what Brig refuses it with; CONNECTION_FAILED where nothing was asked; CONNECTION_LOST where
     *     nobody knows what became of it; TIMEOUT
     */
    Frame ask(String action, Map<String, ? extends @Nullable Object> fields, Duration limit);

    /** A connection to a session, on which Brig speaks next. @throws BrigException */
    Wire attach(Hello hello, Duration limit);

    /** What a client says first. */
    record Hello(
            String id,
            long from,
            @Nullable Integer maxLatencyMs,
            @Nullable String role) {}
}
