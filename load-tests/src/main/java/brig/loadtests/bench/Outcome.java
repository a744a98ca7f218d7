package brig.loadtests.bench;

import brig.protocol.WireName;

/** How a run ended. Only the figures of a run that is {@code OK} count. */
public enum Outcome implements WireName {
    OK,
    /** The generator was the bottleneck: what was measured is the generator. */
    VOID,
    /** A frame was lost, repeated or damaged, and nothing was said. */
    LOST,
    /** It could not be run to its end. */
    BROKEN;

    /** As people read it, too. */
    @Override
    public String wireName() {
        return name();
    }
}
