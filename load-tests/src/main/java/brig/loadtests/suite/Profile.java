package brig.loadtests.suite;

import brig.protocol.record.Settings;
import java.util.List;

/**
 * The thoroughness of a measurement.
 *
 * @param warmupMs   time before the measured one
 * @param jitWarmupMs the same for peers with a JIT compiler, which shares their single core
 * @param durationMs measured time of each run
 * @param ownTimes   whether scenarios keep times of their own
 * @param scenarios  those included; none for all
 * @param peers      those included; none for all
 */
@Settings
public record Profile(
        int rounds,
        int warmupMs,
        int jitWarmupMs,
        int durationMs,
        boolean ownTimes,
        List<String> scenarios,
        List<String> peers) {

    /** The scenario with the times of this profile. */
    public Scenario time(Scenario scenario) {
        return scenario.lasting(
                own(scenario.warmupMs(), warmupMs),
                own(scenario.jitWarmupMs(), jitWarmupMs),
                own(scenario.durationMs(), durationMs));
    }

    private int own(int ofScenario, int ofProfile) {
        return ownTimes && ofScenario > 0 ? ofScenario : ofProfile;
    }

    public boolean has(Scenario scenario) {
        return scenarios.isEmpty() || scenarios.contains(scenario.name());
    }

    public boolean has(String peer) {
        return peers.isEmpty() || peers.contains(peer);
    }
}
