package brig.gateway.telemetry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The consecutive steps of one spawn's start, with their durations. Owned by the event loop.
 *
 * <p>Decision 0098.
 */
public final class SpawnTrace {
    /** A step: begin and end in nanoseconds since the beginning of the trace. */
    record Step(String name, long beginNanos, long endNanos) {}

    /**
     * @param beginMs milliseconds since 1970
     * @param attributes the attributes of the spawn
     * @param error code of its failure; null if it runs
     */
    record Finished(
            long beginMs,
            long nanos,
            List<Step> steps,
            Map<String, String> attributes,
            @Nullable String error) {}

    private static final SpawnTrace NONE = new SpawnTrace(0, () -> 0, null);

    private final long beginMs;
    private final LongSupplier nanoTime;
    /** Null if the trace is not recorded. */
    private final @Nullable Consumer<Finished> taker;

    private final long beginNanos;
    private final List<Step> steps = new ArrayList<>();
    private final Map<String, String> attributes = new TreeMap<>();
    private @Nullable String step;
    private long stepBeginNanos;

    SpawnTrace(long beginMs, LongSupplier nanoTime, @Nullable Consumer<Finished> taker) {
        this.beginMs = beginMs;
        this.nanoTime = nanoTime;
        this.taker = taker;
        this.beginNanos = nanoTime.getAsLong();
    }

    /** A trace that is not recorded. */
    static SpawnTrace none() {
        return NONE;
    }

    /** Ends the previous step and begins this one. */
    public void step(String name) {
        if (taker != null) {
            endStep();
            step = name;
        }
    }

    private void endStep() {
        long now = nanoTime.getAsLong() - beginNanos;
        if (step != null) {
            steps.add(new Step(step, stepBeginNanos, now));
        }
        stepBeginNanos = now;
    }

    public void attribute(String name, String value) {
        if (taker != null) {
            attributes.put(name, value);
        }
    }

    /**
     * Ends the last step. No calls may follow.
     *
     * @param error code of the spawn's failure; null if it runs
     */
    public void end(@Nullable String error) {
        if (taker != null) {
            endStep();
            taker.accept(new Finished(beginMs, nanoTime.getAsLong() - beginNanos, steps, attributes, error));
        }
    }
}
