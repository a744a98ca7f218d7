package brig.loadtests.suite;

import java.util.List;

/**
 * How thoroughly to measure.
 *
 * @param warmupMs   time before the measured one, which warms up JVMs
 * @param durationMs measured time of each run
 * @param ownTimes   whether scenarios keep times of their own
 * @param scenarios  those that it has; none for all
 * @param peers      those that it has; none for all
 */
public record Profile(
        int rounds, int warmupMs, int durationMs, boolean ownTimes, List<String> scenarios, List<String> peers) {

    /** The scenario with the times of this profile. */
    public Scenario time(Scenario scenario) {
        return ownTimes ? scenario.lasting(scenario.warmupMs() > 0 ? scenario.warmupMs() : warmupMs,
                scenario.durationMs() > 0 ? scenario.durationMs() : durationMs) : scenario.lasting(warmupMs, durationMs);
    }

    public boolean has(Scenario scenario) {
        return scenarios.isEmpty() || scenarios.contains(scenario.name());
    }

    public boolean has(String peer) {
        return peers.isEmpty() || peers.contains(peer);
    }
}
