package brig.loadtests.bench;

import brig.loadtests.engine.Engine.Progress;
import brig.loadtests.peers.Server.HeapSample;
import brig.loadtests.suite.Bound;
import brig.loadtests.suite.Figure;
import brig.loadtests.suite.Scenario;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Things that tests of several packages measure with. */
public final class Samples {
    private Samples() {}

    public static Scenario saturated(String name) {
        return scenario(name, 1000, 0, 0);
    }

    static Scenario paced(String name) {
        return scenario(name, 0, 50, 0);
    }

    static Scenario idle(String name) {
        return scenario(name, 0, 0, 5);
    }

    private static Scenario scenario(String name, int window, int rateHz, int idleFrames) {
        return new Scenario(
                name,
                "what " + name + " is",
                List.of("ws"),
                10,
                2,
                32,
                window,
                rateHz,
                0,
                0,
                idleFrames,
                0,
                "watcher",
                1,
                2,
                3,
                List.of("cpu_per_million", "p99_ms"),
                true,
                List.of("brig", "nats"));
    }

    public static Run run(String scenario, String peer, int round, Outcome outcome, double cpuPerMillion) {
        Histogram latency = new Histogram(3);
        latency.recordValue(1_000_000);
        latency.recordValue(3_000_000);
        return new Run(
                scenario,
                peer,
                round,
                outcome,
                outcome == Outcome.OK ? "" : "because",
                Map.of(Figure.CPU_PER_MILLION, cpuPerMillion),
                List.of(new Progress(1000, 10, 10, 1 << 20), new Progress(2000, 20, 10, 2 << 20)),
                List.of(new HeapSample(1500, 1 << 20, true)),
                latency);
    }

    public static Results results(List<Bound> bounds, Run... runs) {
        List<Scenario> scenarios = Arrays.stream(runs)
                .map(Run::scenario)
                .distinct()
                .map(Samples::saturated)
                .toList();
        Results results = new Results(scenarios, List.of("brig", "nats"), bounds);
        Arrays.stream(runs).forEach(results::add);
        return results;
    }
}
