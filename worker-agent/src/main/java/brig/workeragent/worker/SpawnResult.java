package brig.workeragent.worker;

import brig.workeragent.posture.Posture;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a spawn.
 *
 * @param socket where the gateway reads the worker's frames
 * @param workspace the real path of the folder that the agent works in
 * @param posture what its wall was found to enforce; null while it is starting
 */
public record SpawnResult(
        Path socket, Path workspace, @Nullable Posture posture) {}
