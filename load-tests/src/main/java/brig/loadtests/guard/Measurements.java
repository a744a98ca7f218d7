package brig.loadtests.guard;

import brig.loadtests.bench.Outcome;
import brig.loadtests.bench.Run;
import brig.loadtests.guard.Comparison.Pair;
import brig.loadtests.suite.Figure;
import brig.loadtests.whole.PaceEvent;
import brig.loadtests.whole.Paced;
import brig.loadtests.whole.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The runs of both products: those that count, those that do not, and what went wrong. */
public final class Measurements {
    /** The scenario of the whole path. */
    public static final String WHOLE = "whole";

    /** Less is better for them; the tail of latencies varies too much from run to run. */
    private static final List<Figure> COMPARED = List.of(Figure.CPU_PER_MILLION, Figure.P50_MS);

    private final Map<Key, Map<Integer, Values>> values = new LinkedHashMap<>();
    private final List<String> faults = new ArrayList<>();
    private int voids;

    /** Which product. */
    public enum Side {
        BASELINE,
        THIS;

        /** The printed form. */
        public String word() {
            return this == BASELINE ? "baseline" : "this";
        }
    }

    private record Key(String scenario, String name, Figure unit) {}

    /** 0: not measured. */
    private record Values(double before, double now) {
        private static final Values NONE = new Values(0, 0);

        private Values with(Side side, double value) {
            return side == Side.BASELINE ? new Values(value, now) : new Values(before, value);
        }

        private boolean isPair() {
            return before > 0 && now > 0;
        }
    }

    /** A run of {@code brig bench}. */
    public void add(Side side, Run run) {
        switch (run.outcome()) {
            case OK -> addFigures(side, run);
            case VOID -> addVoid();
            case LOST, BROKEN -> addFault(side, run.scenario(), run.round(), run.outcome() + " " + run.why());
        }
    }

    private void addFigures(Side side, Run run) {
        for (Figure figure : COMPARED) {
            double value = run.figures().getOrDefault(figure, 0.0);
            if (Double.isInfinite(value)) {
                addFault(side, run.scenario(), run.round(), Outcome.BROKEN + " no frame came in the measured time");
            } else if (value > 0) {
                put(new Key(run.scenario(), figure.label(), figure), side, run.round(), value);
            }
        }
    }

    /** A run of the whole path; false if it is void. */
    public boolean add(Side side, int round, Paced paced) {
        PaceEvent.Result result = paced.result();
        if (!paced.isComplete()) {
            String why = "%s %d faults in %d lines, %d streams ended"
                    .formatted(Outcome.LOST, result.faults(), result.lines(), result.ended());
            addFault(side, WHOLE, round, why);
        } else if (!paced.isPaced()) {
            addVoid();
            return false;
        } else {
            for (Role role : List.of(Role.GATEWAY, Role.WORKER_AGENT)) {
                double resident = paced.after().of(role).residentBytes();
                put(
                        key(role + " " + Figure.CPU_PER_MILLION.label(), Figure.CPU_PER_MILLION),
                        side,
                        round,
                        paced.cpuPerMillion(role));
                put(key(role + " memory", Figure.GROWTH_BYTES), side, round, resident);
            }
            put(key(Figure.P50_MS.label(), Figure.P50_MS), side, round, result.p50Ms());
        }
        return true;
    }

    private static Key key(String name, Figure unit) {
        return new Key(WHOLE, name, unit);
    }

    private void put(Key key, Side side, int round, double value) {
        values.computeIfAbsent(key, _ -> new TreeMap<>())
                .compute(round, (_, old) -> (old == null ? Values.NONE : old).with(side, value));
    }

    /** A run that does not count because the machine had other work. */
    private void addVoid() {
        voids++;
    }

    public void addFault(Side side, String scenario, int round, String why) {
        faults.add(side.word() + ", " + scenario + ", round " + round + ": " + why);
    }

    public int voids() {
        return voids;
    }

    public List<String> faults() {
        return faults;
    }

    /** All figures, over the rounds in which both products have them. */
    public List<Comparison> comparisons() {
        return values.entrySet().stream()
                .map(entry -> new Comparison(
                        entry.getKey().scenario(),
                        entry.getKey().name(),
                        entry.getKey().unit(),
                        entry.getValue().values().stream()
                                .filter(Values::isPair)
                                .map(pair -> new Pair(pair.before(), pair.now()))
                                .toList()))
                .toList();
    }
}
