package brig.protocol.control;

import brig.protocol.record.Extensible;

/** A workspace is gone, with its changes. */
@Extensible
public record DiscardAnswer(String spawnId) {}
