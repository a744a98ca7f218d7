package brig.protocol.control;

import brig.protocol.record.Extensible;

/**
 * A worker that was started.
 *
 * @param socket where its frames come from
 * @param workspace the real path of the folder that its agent works in
 * @param posture what its wall was found to enforce
 */
@Extensible
public record SpawnAnswer(String socket, String workspace, Posture posture) {}
