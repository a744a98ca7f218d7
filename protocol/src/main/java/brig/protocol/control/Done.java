package brig.protocol.control;

import brig.protocol.record.Extensible;

/** Success without further content. */
@Extensible
public record Done() {}
