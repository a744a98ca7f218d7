package brig.loadtests.bench;

import brig.loadtests.engine.Engine.Progress;
import brig.loadtests.peers.Peer;
import brig.loadtests.peers.Site;
import brig.loadtests.suite.Bound;
import brig.loadtests.suite.Scenario;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Executes a plan. A run whose generator was starved is repeated once. */
public final class Runner {
    private final Plan plan;
    private final Results results;

    /** Listens to the progress. */
    public interface Listener {
        /** @param label scenario, peer and round */
        void handleStart(int number, int total, String label, long expectedMs);

        void handleProgress(Progress progress);

        void handleEnd(Run run, Scenario scenario);
    }

    /** @param peers the installed ones */
    public Runner(List<Scenario> scenarios, List<Peer> peers, List<Bound> bounds, int rounds) {
        plan = Plan.of(scenarios, peers, rounds);
        results = new Results(scenarios, peers.stream().map(Peer::name).toList(), bounds);
    }

    /** Runs everything; failures are in the results. */
    public Results run(Path programs, Site.Cores cores, Listener listener) {
        OneRun oneRun = new OneRun(programs, cores);
        int number = 0;
        for (Plan.Step step : plan.steps()) {
            Scenario scenario = step.scenario();
            listener.handleStart(
                    ++number,
                    plan.steps().size(),
                    scenario.name() + " " + step.peer().name() + " round " + step.round(),
                    (long) step.warmupMs() + scenario.durationMs());
            Consumer<Progress> progress = listener::handleProgress;
            Run run = oneRun.run(step, progress);
            if (run.outcome() == Outcome.VOID) {
                // Reported, so that a repeated long run does not look hung.
                listener.handleEnd(run, scenario);
                run = oneRun.run(step, progress);
            }
            results.add(run);
            listener.handleEnd(run, scenario);
        }
        return results;
    }
}
