package brig.loadtests.whole;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * One measurement of agents that write at a rate: what their readers saw, and what the processes between them took.
 *
 * @param from when measuring began
 * @param before what processes took up to then
 */
public record Paced(Load load, PaceEvent.Result result, Instant from, Costs before, Instant to, Costs after) {
    private static final double PER_MILLION = 1e6;
    private static final long MS_PER_SECOND = 1000;
    /** With fewer lines than this share, the agents did not get the CPU to write at their rate. */
    private static final double WRITTEN_SHARE_MIN = 0.95;

    /** Reads the streams of these sessions. */
    public static Paced measure(Load load, Path socket, List<String> sessions, Supplier<Costs> costs)
            throws IOException {
        try (PaceReaders reading = PaceReaders.start(
                socket,
                sessions,
                load.readers(),
                load.warmUpSeconds() * MS_PER_SECOND,
                load.seconds() * MS_PER_SECOND)) {
            reading.await(PaceEvent.Measuring.class);
            Instant from = Instant.now();
            Costs before = costs.get();
            reading.await(PaceEvent.Measured.class);
            Instant to = Instant.now();
            Costs after = costs.get();
            return new Paced(load, reading.await(PaceEvent.Result.class), from, before, to, after);
        }
    }

    /** CPU seconds of a role for a million lines written. */
    public double cpuPerMillion(Role role) {
        return after.cpuSince(before, role) / written() * PER_MILLION;
    }

    /** The same of all processes but the agents. */
    public double cpuPerMillion() {
        return after.deliveringCpuSince(before) / written() * PER_MILLION;
    }

    private double written() {
        return (double) result.lines() / load.readers();
    }

    /** Whether each line was read once, in order. */
    public boolean isComplete() {
        return result.faults() == 0 && result.ended() == 0 && result.lines() > 0;
    }

    /** Whether the agents could write at their rate. */
    public boolean isPaced() {
        return result.lines() >= WRITTEN_SHARE_MIN * load.linesExpected();
    }
}
