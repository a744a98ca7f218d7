package brig.loadtests.bench;

import brig.loadtests.suite.Bound;
import brig.loadtests.suite.Figure;
import java.util.Locale;
import java.util.Optional;

/** Whether a bound holds for the medians. */
public record Verdict(Bound bound, Status status, String evidence) {
    /** {@code UNMEASURED}: one of the two figures is missing. */
    public enum Status {
        HOLDS,
        FAILS,
        UNMEASURED;

        /** The printed form. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Verdict of(Bound bound, Results results) {
        Figure figure = Figure.of(bound.figure());
        Optional<Double> own = median(results, bound.scenario(), Results.SUBJECT, figure);
        if (own.isEmpty()) {
            return new Verdict(bound, Status.UNMEASURED, "no run of " + Results.SUBJECT + " counts");
        }
        double value = own.get();
        if (bound.atMost() > 0) {
            return new Verdict(bound, status(bound.allows(value, 0)), figure.format(value));
        }
        Optional<Double> other = median(results, bound.otherScenario(), bound.peer(), figure);
        if (other.isEmpty()) {
            return new Verdict(
                    bound, Status.UNMEASURED, "no run of " + bound.peer() + " in " + bound.otherScenario() + " counts");
        }
        return new Verdict(
                bound,
                status(bound.allows(value, other.get())),
                "%s %% (%s / %s)"
                        .formatted(percent(value / other.get()), figure.format(value), figure.format(other.get())));
    }

    private static String percent(double ratio) {
        return (ratio < 10 ? "%.3g" : "%.0f").formatted(100 * ratio);
    }

    private static Status status(boolean holds) {
        return holds ? Status.HOLDS : Status.FAILS;
    }

    private static Optional<Double> median(Results results, String scenario, String peer, Figure figure) {
        return results.series(scenario, peer)
                .flatMap(series -> series.spread(figure))
                .map(Spread::median);
    }
}
