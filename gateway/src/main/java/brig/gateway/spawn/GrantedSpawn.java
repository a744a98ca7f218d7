package brig.gateway.spawn;

/** A spawn that ran, and its tokens, which are kept nowhere else. */
public record GrantedSpawn(
        String spawnId, String taskId, String workspace, String captainToken, String watcherToken, String ioSocket) {}
