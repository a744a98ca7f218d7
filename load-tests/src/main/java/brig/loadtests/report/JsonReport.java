package brig.loadtests.report;

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

/** Results as one JSON object, with every run in it. */
public final class JsonReport {
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    private JsonReport() {}

    public static byte[] of(Heading heading, Results results) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("machine", heading.machine());
        report.put("date", heading.date());
        report.put("command", heading.command());
        report.put("absent", heading.absent());
        report.put(
                "scenarios",
                results.scenarios().stream()
                        .map(scenario -> scenario(scenario, results))
                        .toList());
        report.put(
                "bounds", results.verdicts().stream().map(JsonReport::verdict).toList());
        return Json.writeLine(report);
    }

    private static Map<String, Object> scenario(Scenario scenario, Results results) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", scenario.name());
        object.put("says", scenario.says());
        object.put(
                "peers",
                results.series(scenario).stream().map(JsonReport::series).toList());
        return object;
    }

    private static Map<String, Object> series(Series series) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("peer", series.peer());
        Map<String, Object> figures = new LinkedHashMap<>();
        for (Figure figure : Figure.values()) {
            series.spread(figure).ifPresent(spread -> figures.put(figure.key(), spread(spread)));
        }
        object.put("figures", figures);
        object.put("latency_ms", percentiles(series.latencyNs()));
        object.put("runs", series.runs().stream().map(JsonReport::run).toList());
        return object;
    }

    private static Map<String, Object> spread(Spread spread) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("median", spread.median());
        object.put("min", spread.min());
        object.put("max", spread.max());
        return object;
    }

    /** Percentile and milliseconds, closer together the higher they are. */
    private static List<Object> percentiles(Histogram latencyNs) {
        List<Object> points = new ArrayList<>();
        if (latencyNs.getTotalCount() > 0) {
            latencyNs
                    .percentiles(TICKS_PER_HALF_DISTANCE)
                    .forEach(point -> points.add(
                            List.of(point.getPercentileLevelIteratedTo(), point.getValueIteratedTo() / 1e6)));
        }
        return points;
    }

    private static Map<String, Object> run(Run run) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("round", run.round());
        object.put("outcome", run.outcome());
        object.put("why", run.why());
        Map<String, Object> figures = new LinkedHashMap<>();
        run.figures().forEach((figure, value) -> figures.put(figure.key(), value));
        object.put("figures", figures);
        object.put(
                "memory",
                run.progress().stream()
                        .map(sample -> List.of(sample.timeMs(), sample.residentBytes()))
                        .toList());
        object.put(
                "heap",
                run.heap().stream()
                        .map(sample -> List.of(sample.timeMs(), sample.usedBytes()))
                        .toList());
        return object;
    }

    private static Map<String, Object> verdict(Verdict verdict) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("status", verdict.status().word());
        object.put("scenario", verdict.bound().scenario());
        object.put("bound", verdict.bound().text());
        object.put("says", verdict.bound().says());
        object.put("evidence", verdict.evidence());
        return object;
    }
}
