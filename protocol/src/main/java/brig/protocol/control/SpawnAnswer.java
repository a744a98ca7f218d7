package brig.protocol.control;

import brig.protocol.record.Extensible;

/**
 * A started worker.
 *
 * @param workspace the real path of its agent's folder
 * @param posture what its wall enforces, as measured
 */
@Extensible
public record SpawnAnswer(String workspace, Posture posture) {}
