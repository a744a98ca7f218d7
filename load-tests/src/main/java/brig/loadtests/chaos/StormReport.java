package brig.loadtests.chaos;

import brig.protocol.record.Flat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sums of all observations of a {@link Storm}.
 *
 * @param sessionsCompleted those whose captain was done
 * @param connections of readers that were admitted
 * @param frames received by readers
 * @param gapsTold gaps reported to readers, and {@code epochChangesTold} the restarts of a stream
 * @param messagesSentAgain because their acceptance was not reported
 * @param messagesToldLost that did not run, as the stream reports
 * @param lost frames that differ or are missing without a report
 * @param doubled frames and messages that came twice
 * @param untold gaps and messages without a report
 * @param violations each fault in words
 */
record StormReport(
        @Flat Faults faults,
        long sessions,
        long sessionsCompleted,
        long connections,
        long frames,
        long gapsTold,
        long epochChangesTold,
        long messages,
        long messagesSentAgain,
        long messagesRun,
        long messagesToldLost,
        long lost,
        long doubled,
        long untold,
        List<String> violations) {
    /** How often each fault was injected; null for never. */
    record Faults(
            @Nullable Integer gateway,
            @Nullable Integer workerAgent,
            @Nullable Integer both,
            @Nullable Integer fullDisk,
            @Nullable Integer readOnly) {}
}
