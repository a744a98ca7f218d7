package brig.workeragent.worker;

import java.nio.file.Path;

/**
 * The answer to a spawn.
 *
 * @param socket where the gateway reads the worker's frames
 * @param workspace the real path of the folder that the agent works in
 */
public record Spawned(Path socket, Path workspace) {}
