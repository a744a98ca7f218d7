package brig.loadtests.client;

import org.jspecify.annotations.Nullable;

/**
 * Where sessions run.
 *
 * @param host a host of the server's; null for its own
 * @param provider who makes a sandbox for each; null for nobody
 */
public record WorkerPlace(@Nullable String host, @Nullable String provider) {
    /** The server's own host. */
    public static final WorkerPlace HERE = new WorkerPlace(null, null);
}
