package brig.protocol.control;

import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;

/** A checkpoint that was taken; before a workspace was restored, the one that holds what was there. */
@Extensible
public record CheckpointAnswer(String spawnId, @Flat Checkpoint checkpoint) {}
