package brig.gateway.telemetry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one spawn's start, one after the other, each with the time that it took. Owned by the event loop.
 *
 * <p>Decision 0098.
 */
public final class SpawnTrace {
    /** Of a step: where it begins and ends, in nanoseconds from the beginning of the trace. */
    record Step(String name, long beginNanos, long endNanos) {}

    /**
     * @param beginMs milliseconds since 1970
     * @param attributes what is known of the spawn
     * @param error code of what it came to nothing with; null where it runs
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
    /** Null where nothing is kept. */
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

    /** One that nobody takes: nothing is kept. */
    static SpawnTrace none() {
        return NONE;
    }

    /** The step before is over, and this one begins. */
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
     * The last step is over. Nothing may follow.
     *
     * @param error code of what it came to nothing with; null where it runs
     */
    public void end(@Nullable String error) {
        if (taker != null) {
            endStep();
            taker.accept(new Finished(beginMs, nanoTime.getAsLong() - beginNanos, steps, attributes, error));
        }
    }
}
