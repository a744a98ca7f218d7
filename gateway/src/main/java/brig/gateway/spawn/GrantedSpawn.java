package brig.gateway.spawn;

/** A spawn that runs, and its tokens, which are stored nowhere else. */
public record GrantedSpawn(
        String spawnId, String taskId, String workspace, String captainToken, String watcherToken, String ioSocket) {}
