package brig.protocol.control;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;

/**
 * A started worker.
 *
 * @param workspace the real path of its agent's folder
 * @param posture what its wall enforces, as measured
 * @param ttySmallest whether the smallest of its captains' sizes is that of its terminal
 */
@Extensible
public record SpawnAnswer(
        String workspace, Posture posture, @OmitEmpty boolean ttySmallest) {
    public SpawnAnswer(String workspace, Posture posture) {
        this(workspace, posture, false);
    }
}
