package brig.protocol.control;

import brig.protocol.record.Extensible;

/** The workspace was deleted, with its changes. */
@Extensible
public record DiscardAnswer(String spawnId) {}
