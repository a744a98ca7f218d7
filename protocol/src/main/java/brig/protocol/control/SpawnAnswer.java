package brig.protocol.control;

import brig.protocol.record.Extensible;

/**
 * A started worker.
 *
 * @param socket the socket that serves its frames
 * @param workspace the real path of its agent's folder
 * @param posture what its wall enforces, as measured
 */
@Extensible
public record SpawnAnswer(String socket, String workspace, Posture posture) {}
