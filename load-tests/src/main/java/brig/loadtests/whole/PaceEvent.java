package brig.loadtests.whole;

import brig.protocol.record.Extensible;
import brig.protocol.record.Tagged;

/** The events of {@code brig-pace read}, a line of JSON each. */
@Tagged("event")
public sealed interface PaceEvent {
    /** From here on lines count. */
    @Extensible
    record Measuring() implements PaceEvent {}

    /** No more lines count; those under way are waited for. */
    @Extensible
    record Measured() implements PaceEvent {}

    /**
     * The end.
     *
     * @param lines that were read, by all readers together
     * @param faults lines that were missing, repeated or out of order
     * @param ended streams that ended
     */
    @Extensible
    record Result(long lines, long faults, int ended, double p50Ms, double p99Ms, double p999Ms, double maxMs)
            implements PaceEvent {}
}
