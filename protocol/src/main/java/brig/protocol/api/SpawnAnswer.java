package brig.protocol.api;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * A requested spawn and its tokens, which are shown only once.
 *
 * @param workspace the real path of its folder; null until the worker runs
 * @param authToken the captain's token
 * @param watcherToken null from an older gateway
 * @param ioSocket the path of its session socket
 */
@Extensible
public record SpawnAnswer(
        String taskId,
        String spawnId,
        @Nullable String workspace,
        String authToken,
        @Nullable String watcherToken,
        String ioSocket,
        Status status) {
    /** How far the request got. */
    public enum Status {
        /** Stored on disk; the worker is starting. */
        REQUESTED,
        /** The worker runs. */
        SPAWNED
    }
}
