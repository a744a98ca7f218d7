package brig.loadtests.report;

import brig.loadtests.bench.Run;
import brig.loadtests.bench.Series;
import brig.loadtests.report.LineChart.Axis;
import brig.loadtests.report.LineChart.Point;
import brig.loadtests.suite.Figure;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.StreamSupport;
import org.HdrHistogram.Histogram;

/** The charts of latencies and of memory. */
final class Charts {
    private static final int TICKS_PER_HALF_DISTANCE = 5;
    private static final List<Double> PERCENTILES = List.of(0.0, 50.0, 90.0, 99.0, 99.9, 99.99);

    private Charts() {}

    /** Latency over percentiles, both on logarithmic scales, which emphasize the high percentiles. */
    static String latency(List<Series> peers) {
        double least = peers.stream()
                .mapToDouble(series -> series.latencyNs().getMinNonZeroValue() / 1e6)
                .min()
                .orElse(0);
        double most = peers.stream()
                .mapToDouble(series -> series.latencyNs().getValueAtPercentile(99.99) / 1e6)
                .max()
                .orElse(0);
        double from = Math.pow(10, Math.floor(Math.log10(Math.max(least, 0.001))));
        double to = Math.pow(10, Math.ceil(Math.log10(Math.max(most, from * 10))));
        Axis up = new Axis(
                from,
                to,
                Math::log10,
                DoubleStream.iterate(from, mark -> mark <= to * 1.01, mark -> mark * 10)
                        .boxed()
                        .toList(),
                mark -> Figure.P99_MS.format(mark));
        Axis across = new Axis(
                0,
                99.99,
                percentile -> -Math.log10(1 - percentile / 100),
                PERCENTILES,
                percentile -> percentile == Math.rint(percentile) ? "p" + Math.round(percentile) : "p" + percentile);
        LineChart chart = new LineChart(across, up);
        peers.forEach(series -> chart.line(series.peer(), Html.style(series.peer()), points(series.latencyNs())));
        return chart.svg("latency");
    }

    private static List<Point> points(Histogram latencyNs) {
        return StreamSupport.stream(
                        latencyNs.percentiles(TICKS_PER_HALF_DISTANCE).spliterator(), false)
                .filter(value -> value.getPercentileLevelIteratedTo() <= 99.99)
                .map(value -> new Point(value.getPercentileLevelIteratedTo(), value.getValueIteratedTo() / 1e6))
                .toList();
    }

    /** Resident memory, and heap after collections, over the time of a run. */
    static String memory(Run run) {
        long start = run.progress().getFirst().timeMs();
        long end = run.progress().getLast().timeMs();
        double most = DoubleStream.concat(
                        run.progress().stream().mapToDouble(sample -> sample.residentBytes()),
                        run.heap().stream().mapToDouble(sample -> sample.usedBytes()))
                .max()
                .orElse(0);
        LineChart chart = new LineChart(
                Axis.linear((end - start) / 1000.0, seconds -> "%.1f s".formatted(seconds)),
                Axis.linear(most, bytes -> Figure.GROWTH_BYTES.format(bytes)));
        chart.line(
                "resident",
                Html.style(run.peer()),
                run.progress().stream()
                        .map(sample -> new Point((sample.timeMs() - start) / 1000.0, sample.residentBytes()))
                        .toList());
        if (!run.heap().isEmpty()) {
            chart.line(
                    "heap after GC",
                    "heap",
                    run.heap().stream()
                            .filter(sample -> sample.timeMs() >= start && sample.timeMs() <= end)
                            .map(sample -> new Point((sample.timeMs() - start) / 1000.0, sample.usedBytes()))
                            .toList());
        }
        return chart.svg("memory of " + run.peer());
    }
}
