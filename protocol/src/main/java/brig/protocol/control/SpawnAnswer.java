package brig.protocol.control;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * A worker that was started.
 *
 * @param socket where its frames come from
 * @param workspace the real path of the folder that its agent works in
 * @param posture what its wall was found to enforce; null where nobody looked
 */
@Extensible
public record SpawnAnswer(
        String socket, String workspace, @Nullable Posture posture) {}
