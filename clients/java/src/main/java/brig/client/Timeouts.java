package brig.client;

import java.time.Duration;

/**
 * How long this client waits.
 *
 * @param spawn from the request to the running worker, beside its {@code wait}
 * @param ready from there until the session lets us in
 * @param answer until Brig has taken a message, or answered a request
 * @param reconnect from a lost connection to the next
 */
public record Timeouts(Duration spawn, Duration ready, Duration answer, Duration reconnect) {
    public static final Timeouts DEFAULT = new Timeouts(
            Duration.ofSeconds(60), Duration.ofSeconds(15), Duration.ofSeconds(30), Duration.ofSeconds(120));

    /** The same with another time for answers. */
    public Timeouts withAnswer(Duration time) {
        return new Timeouts(spawn, ready, time, reconnect);
    }
}
