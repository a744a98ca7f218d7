package brig.loadtests.engine;

import brig.loadtests.engine.Engine.Numbers;
import brig.protocol.json.Fields;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What the generator measured.
 *
 * @param fault  what was lost, damaged or did not work; null for nothing
 * @param all    every reader
 * @param judged those whom the scenario is about: all, or the others where some stall or flood
 */
public record EngineResult(
        @Nullable String fault,
        double seconds,
        double cpuSeconds,
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

    static EngineResult of(Fields event) {
        Numbers numbers = new Numbers(event);
        Group all = group(event);
        Fields quiet = numbers.inner("quiet");
        double seconds = numbers.get("seconds");
        double cpuSeconds = numbers.sum("cpu_seconds");
        return new EngineResult(
                event.flag("ok") ? null : event.text("fault", "something was lost or damaged"),
                seconds,
                cpuSeconds,
                cpuSeconds / seconds,
                numbers.get("generator_cpu_share"),
                numbers.get("send_lag_ns_p99") / 1e6,
                numbers.sum("rss_peak_growth_bytes"),
                (long) numbers.get("gaps"),
                all,
                quiet == null ? all : group(quiet));
    }

    private static Group group(Fields fields) {
        Histogram latency = new Histogram(LATENCY_NS_MAX, SIGNIFICANT_DIGITS);
        if (fields.asMap().get("latency_ns") instanceof List<?> buckets) {
            for (Object bucket : buckets) {
                if (bucket instanceof List<?> pair
                        && pair.get(0) instanceof Number upper
                        && pair.get(1) instanceof Number count) {
                    latency.recordValueWithCount(Math.min(upper.longValue(), LATENCY_NS_MAX), count.longValue());
                }
            }
        }
        return new Group(new Numbers(fields).get("delivered"), latency);
    }
}
