package brig.loadtests.bench;

import brig.loadtests.engine.Engine.Progress;
import brig.loadtests.engine.EngineResult;
import brig.loadtests.peers.Server.HeapSample;
import brig.loadtests.suite.Figure;
import brig.loadtests.suite.Scenario;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/** Computes the figures of a run, and whether the run is valid. */
final class Measured {
    /** Above this share of its core a pacing generator is late by itself. */
    private static final double PACED_SHARE_MAX = 0.8;

    private static final double SEND_LAG_MS_MAX = 1;
    /** Above this share of the generator, with an idle server, the generator was the bottleneck. */
    private static final double BUSY_SHARE = 0.95;

    private static final double IDLE_SERVER_SHARE = 0.5;

    private Measured() {}

    /** Why the run is invalid; "" if it is valid. */
    static String starved(Scenario scenario, EngineResult result) {
        if (scenario.idleFrames() > 0) {
            return "";
        }
        if (scenario.paced()) {
            // A flood keeps the generator fully busy; the criterion is whether it is late for the others.
            if (scenario.flood() == 0 && result.generatorShare() > PACED_SHARE_MAX) {
                return "the generator was too busy to pace: " + Figure.GENERATOR_SHARE.format(result.generatorShare());
            }
            return result.sendLagP99Ms() <= SEND_LAG_MS_MAX
                    ? ""
                    : "the generator was late by itself: " + Figure.SEND_LAG_MS.format(result.sendLagP99Ms());
        }
        return result.generatorShare() > BUSY_SHARE && result.serverShare() < IDLE_SERVER_SHARE
                ? "the generator was the bottleneck: the server used "
                        + Figure.SERVER_SHARE.format(result.serverShare()) + " of its core"
                : "";
    }

    static Map<Figure, Double> figures(Scenario scenario, EngineResult result) {
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        figures.put(Figure.CPU_PER_MILLION, result.cpuSeconds() / result.all().delivered() * 1e6);
        figures.put(Figure.FRAMES_PER_SECOND, result.judged().delivered() / result.seconds());
        Histogram latency = result.judged().latencyNs();
        if (latency.getTotalCount() > 0) {
            figures.put(Figure.P50_MS, latency.getValueAtPercentile(50) / 1e6);
            figures.put(Figure.P99_MS, latency.getValueAtPercentile(99) / 1e6);
            figures.put(Figure.P999_MS, latency.getValueAtPercentile(99.9) / 1e6);
        }
        figures.put(Figure.GROWTH_BYTES, result.growthBytes());
        figures.put(Figure.SERVER_SHARE, result.serverShare());
        figures.put(Figure.GENERATOR_SHARE, result.generatorShare());
        if (scenario.paced()) {
            figures.put(Figure.SEND_LAG_MS, result.sendLagP99Ms());
        }
        return figures;
    }

    static Map<Figure, Double> idle(Scenario scenario, Memory memory, double connectMs) {
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        figures.put(
                Figure.BYTES_PER_READER, (double) (memory.idle() - memory.beforeReaders()) / scenario.subscribers());
        figures.put(Figure.BYTES_PER_STREAM, (double) (memory.idle() - memory.beforeStreams()) / scenario.streams());
        figures.put(Figure.CONNECT_MS, connectMs);
        return figures;
    }

    /** The change of memory from the second quarter of the run to the last. */
    static Map<Figure, Double> drift(List<Progress> progress, List<HeapSample> heap) {
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        drift(progress, Progress::residentBytes, values -> Spread.of(values).median())
                .ifPresent(bytes -> figures.put(Figure.DRIFT_BYTES, bytes));
        drift(
                        heap.stream().filter(HeapSample::live).toList(),
                        HeapSample::usedBytes,
                        values -> Spread.of(values).min())
                .ifPresent(bytes -> figures.put(Figure.HEAP_DRIFT_BYTES, bytes));
        return figures;
    }

    private interface Level {
        double of(double[] values);
    }

    private static <T> OptionalDouble drift(List<T> samples, ToLongFunction<T> bytes, Level level) {
        double[] values = samples.stream()
                .mapToDouble(sample -> (double) bytes.applyAsLong(sample))
                .toArray();
        int quarter = values.length / 4;
        return quarter == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(level.of(Arrays.copyOfRange(values, values.length - quarter, values.length))
                        - level.of(Arrays.copyOfRange(values, quarter, 2 * quarter)));
    }
}
