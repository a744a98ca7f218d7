package brig.loadtests.bench;

import brig.loadtests.suite.Figure;
import brig.loadtests.suite.Scenario;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** All runs of one peer in one scenario. */
public record Series(Scenario scenario, String peer, List<Run> runs) {

    /** The figure over the valid runs; empty if none has it. */
    public Optional<Spread> spread(Figure figure) {
        double[] values = valid().stream()
                .map(run -> run.figures().get(figure))
                .filter(value -> value != null)
                .mapToDouble(Double::doubleValue)
                .toArray();
        return values.length == 0 ? Optional.empty() : Optional.of(Spread.of(values));
    }

    /** The latencies of all valid runs. */
    public Histogram latencyNs() {
        Histogram sum = new Histogram(3);
        sum.setAutoResize(true);
        valid().forEach(run -> sum.add(run.latencyNs()));
        return sum;
    }

    public List<Run> valid() {
        return runs.stream().filter(run -> run.outcome() == Outcome.OK).toList();
    }

    /** The distinct faults of the runs. */
    public List<String> faults() {
        return runs.stream()
                .filter(run -> run.outcome() != Outcome.OK)
                .map(run -> run.outcome() + " " + run.why())
                .distinct()
                .toList();
    }
}
