package brig.gateway.spawn;

/** The answer to a spawn request: the spawn ran, and these are its tokens, which are kept nowhere else. */
public record Granted(
        String spawnId, String taskId, String workspace, String captainToken, String watcherToken, String ioSocket) {}
