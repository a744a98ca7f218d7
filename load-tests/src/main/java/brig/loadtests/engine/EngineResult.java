package brig.loadtests.engine;

import java.util.List;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of the generator.
 *
 * @param fault  what was lost, damaged or did not work; null for nothing
 * @param published frames that the server took from all workers
 * @param cpuSecondsEach of each process of the server
 * @param all    every reader
 * @param judged the readers that the scenario measures: all, or the others if some stall or flood
 */
public record EngineResult(
        @Nullable String fault,
        double seconds,
        double published,
        double cpuSeconds,
        List<Double> cpuSecondsEach,
        double serverShare,
        double generatorShare,
        double sendLagP99Ms,
        double growthBytes,
        long gaps,
        Group all,
        Group judged) {
    private static final long LATENCY_NS_MAX = 3_600_000_000_000L;
    private static final int SIGNIFICANT_DIGITS = 3;

    /** Readers that are counted together. */
    public record Group(double delivered, Histogram latencyNs) {}

    static EngineResult of(EngineEvent.Result event) {
        Group all = group(event.all());
        double cpuSeconds =
                event.cpuSeconds().stream().mapToDouble(Double::doubleValue).sum();
        return new EngineResult(
                event.ok() ? null : Objects.requireNonNullElse(event.fault(), "something was lost or damaged"),
                event.seconds(),
                event.published(),
                cpuSeconds,
                event.cpuSeconds(),
                cpuSeconds / event.seconds(),
                event.generatorCpuShare(),
                event.sendLagNsP99() / 1e6,
                event.rssPeakGrowthBytes().stream()
                        .mapToDouble(Long::doubleValue)
                        .sum(),
                event.all().gaps(),
                all,
                event.quiet() == null ? all : group(event.quiet()));
    }

    private static Group group(EngineEvent.Figures figures) {
        Histogram latency = new Histogram(LATENCY_NS_MAX, SIGNIFICANT_DIGITS);
        for (List<Long> bucket : figures.latencyNs()) {
            latency.recordValueWithCount(Math.min(bucket.get(0), LATENCY_NS_MAX), bucket.get(1));
        }
        return new Group(figures.delivered(), latency);
    }
}
