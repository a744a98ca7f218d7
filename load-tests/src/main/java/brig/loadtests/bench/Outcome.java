package brig.loadtests.bench;

import brig.protocol.WireName;

/** The outcome of a run. Only the figures of {@code OK} runs count. */
public enum Outcome implements WireName {
    OK,
    /** The generator was the bottleneck. */
    VOID,
    /** A frame was lost, repeated or damaged without a report. */
    LOST,
    /** It could not be completed. */
    BROKEN;

    /** Also the form shown to people. */
    @Override
    public String wireName() {
        return name();
    }
}
