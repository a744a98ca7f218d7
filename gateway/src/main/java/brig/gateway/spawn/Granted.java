package brig.gateway.spawn;

/** The answer to a spawn request: the spawn runs, and these are its tokens, which are kept nowhere else. */
public record Granted(Spawn spawn, String captainToken, String watcherToken, String ioSocket) {}
