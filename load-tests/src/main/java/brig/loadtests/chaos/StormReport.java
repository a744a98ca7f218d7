package brig.loadtests.chaos;

import brig.protocol.record.Flat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sums of all that was seen of a {@link Storm}.
 *
 * @param sessionsCompleted those whose captain had all that it wanted
 * @param frames that readers got
 * @param gapsTold gaps that readers were told of, and {@code epochChangesTold} the restarts of a stream
 * @param messagesSentAgain because nobody said that they were taken
 * @param messagesToldLost that did not run, where the stream says so
 * @param lost frames that differ or are missing, and nothing was said
 * @param doubled frames and messages that came twice
 * @param untold gaps and messages that nothing was said of
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
    /** How often each was done; null for never. */
    record Faults(
            @Nullable Integer gateway,
            @Nullable Integer workerAgent,
            @Nullable Integer both,
            @Nullable Integer fullDisk,
            @Nullable Integer readOnly) {}
}
