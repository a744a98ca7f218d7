package brig.protocol.api;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * A spawn that was asked for, and its tokens, which are said once.
 *
 * @param workspace the real path of its folder; null until the worker runs
 * @param authToken the captain's token
 * @param watcherToken absent where an older gateway answers
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
    /** How far it came. */
    public enum Status {
        /** It is on disk and being started. */
        REQUESTED,
        /** The worker runs. */
        SPAWNED
    }
}
