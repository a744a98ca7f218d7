package brig.loadtests.report;

import brig.loadtests.bench.Outcome;
import brig.loadtests.bench.Results;
import brig.loadtests.bench.Run;
import brig.loadtests.bench.Series;
import brig.loadtests.bench.Spread;
import brig.loadtests.bench.Verdict;
import brig.loadtests.suite.Figure;
import brig.loadtests.suite.Scenario;
import brig.protocol.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Results as one JSON object, including every run.
 *
 * @param machine the measured host
 * @param date with its time, in UTC
 * @param absent missing peers, and what to install
 * @param bounds whether each holds
 */
public record JsonReport(
        String machine,
        String date,
        String command,
        List<String> absent,
        List<MeasuredScenario> scenarios,
        List<JudgedBound> bounds) {
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    /** A scenario with the results of each peer. */
    public record MeasuredScenario(String name, String says, List<MeasuredPeer> peers) {
        static MeasuredScenario of(Scenario scenario, Results results) {
            return new MeasuredScenario(
                    scenario.name(),
                    scenario.says(),
                    results.series(scenario).stream().map(MeasuredPeer::of).toList());
        }
    }

    /**
     * All runs of a peer.
     *
     * @param figures over the valid runs, by the names of figures
     * @param latencyMs percentile and milliseconds, denser at high percentiles
     */
    public record MeasuredPeer(
            String peer, Map<String, Spread> figures, List<List<Double>> latencyMs, List<MeasuredRun> runs) {
        static MeasuredPeer of(Series series) {
            Map<String, Spread> figures = new LinkedHashMap<>();
            for (Figure figure : Figure.values()) {
                series.spread(figure).ifPresent(spread -> figures.put(figure.key(), spread));
            }
            return new MeasuredPeer(
                    series.peer(),
                    figures,
                    percentiles(series.latencyNs()),
                    series.runs().stream().map(MeasuredRun::of).toList());
        }

        private static List<List<Double>> percentiles(Histogram latencyNs) {
            List<List<Double>> points = new ArrayList<>();
            if (latencyNs.getTotalCount() > 0) {
                latencyNs
                        .percentiles(TICKS_PER_HALF_DISTANCE)
                        .forEach(point -> points.add(
                                List.of(point.getPercentileLevelIteratedTo(), point.getValueIteratedTo() / 1e6)));
            }
            return points;
        }
    }

    /**
     * One run.
     *
     * @param why the fault; empty for none
     * @param figures by their names
     * @param memory milliseconds since 1970 and resident bytes
     * @param heap milliseconds since 1970 and used bytes after a collection
     */
    public record MeasuredRun(
            int round,
            Outcome outcome,
            String why,
            Map<String, Double> figures,
            List<List<Long>> memory,
            List<List<Long>> heap) {
        static MeasuredRun of(Run run) {
            Map<String, Double> figures = new LinkedHashMap<>();
            run.figures().forEach((figure, value) -> figures.put(figure.key(), value));
            return new MeasuredRun(
                    run.round(),
                    run.outcome(),
                    run.why(),
                    figures,
                    run.progress().stream()
                            .map(sample -> List.of(sample.timeMs(), sample.residentBytes()))
                            .toList(),
                    run.heap().stream()
                            .map(sample -> List.of(sample.timeMs(), sample.usedBytes()))
                            .toList());
        }
    }

    /**
     * A bound.
     *
     * @param evidence the figures that it is judged by
     */
    public record JudgedBound(Verdict.Status status, String scenario, String bound, String says, String evidence) {
        static JudgedBound of(Verdict verdict) {
            return new JudgedBound(
                    verdict.status(),
                    verdict.bound().scenario(),
                    verdict.bound().text(),
                    verdict.bound().says(),
                    verdict.evidence());
        }
    }

    public static JsonReport of(Heading heading, Results results) {
        return new JsonReport(
                heading.machine(),
                heading.date(),
                heading.command(),
                heading.absent(),
                results.scenarios().stream()
                        .map(scenario -> MeasuredScenario.of(scenario, results))
                        .toList(),
                results.verdicts().stream().map(JudgedBound::of).toList());
    }

    /** As one line. */
    public byte[] line() {
        return Json.writeLine(this);
    }
}
