package brig.gateway.spawn;

import java.util.concurrent.CompletionStage;

/**
 * A spawn that is on disk and has a place. It is starting, and can be named, attached to and ended.
 *
 * @param workspace completes with the real path of its folder when the worker runs; fails if it does not
 */
public record AcceptedSpawn(
        String spawnId,
        String taskId,
        String captainToken,
        String watcherToken,
        String ioSocket,
        CompletionStage<String> workspace) {
    /** The answer for a client that waits until the worker runs. */
    public CompletionStage<GrantedSpawn> running() {
        return workspace.thenApply(
                path -> new GrantedSpawn(spawnId, taskId, path, captainToken, watcherToken, ioSocket));
    }
}
