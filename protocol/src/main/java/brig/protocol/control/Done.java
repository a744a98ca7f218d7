package brig.protocol.control;

import brig.protocol.record.Extensible;

/** It was done, and there is nothing to say about it. */
@Extensible
public record Done() {}
