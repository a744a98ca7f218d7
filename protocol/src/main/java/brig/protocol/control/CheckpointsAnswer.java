package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;

/**
 * The checkpoints of a session, oldest first.
 *
 * @param bytes what all of them take on disk
 */
@Extensible
public record CheckpointsAnswer(String spawnId, List<Checkpoint> checkpoints, long bytes) {}
