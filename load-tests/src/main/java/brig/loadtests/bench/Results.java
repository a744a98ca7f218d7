package brig.loadtests.bench;

import brig.loadtests.suite.Bound;
import brig.loadtests.suite.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All measurements, in the order of the scenarios and peers. */
public final class Results {
    /** The peer under test. */
    public static final String SUBJECT = "brig";

    private final List<Scenario> scenarios;
    private final List<String> peers;
    private final List<Bound> bounds;
    private final List<Run> runs = new ArrayList<>();

    Results(List<Scenario> scenarios, List<String> peers, List<Bound> bounds) {
        this.scenarios = scenarios;
        this.peers = peers;
        this.bounds = bounds;
    }

    void add(Run run) {
        runs.add(run);
    }

    public List<Scenario> scenarios() {
        return scenarios;
    }

    /** The peers that ran in the scenario. */
    public List<Series> series(Scenario scenario) {
        return peers.stream()
                .flatMap(peer -> series(scenario.name(), peer).stream())
                .toList();
    }

    Optional<Series> series(String name, String peer) {
        List<Run> found = runs.stream()
                .filter(run -> run.scenario().equals(name) && run.peer().equals(peer))
                .toList();
        return found.isEmpty()
                ? Optional.empty()
                : scenarios.stream()
                        .filter(scenario -> scenario.name().equals(name))
                        .findFirst()
                        .map(scenario -> new Series(scenario, peer, found));
    }

    /** The bounds of the scenarios that ran. */
    public List<Verdict> verdicts() {
        return bounds.stream()
                .filter(bound -> series(bound.scenario(), SUBJECT).isPresent())
                .map(bound -> Verdict.of(bound, this))
                .toList();
    }

    /** 1: Brig lost or damaged something or did not work; 3: a bound does not hold; 0: success. */
    public int exitCode() {
        if (runs.stream()
                .anyMatch(run -> run.peer().equals(SUBJECT)
                        && (run.outcome() == Outcome.LOST || run.outcome() == Outcome.BROKEN))) {
            return 1;
        }
        return verdicts().stream().anyMatch(verdict -> verdict.status() == Verdict.Status.FAILS) ? 3 : 0;
    }
}
