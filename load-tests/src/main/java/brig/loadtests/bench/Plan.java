package brig.loadtests.bench;

import brig.loadtests.peers.Peer;
import brig.loadtests.suite.Scenario;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The order of runs: round by round, with the peers of a scenario in a different order each time. */
record Plan(List<Step> steps) {
    /** One planned run. */
    record Step(Scenario scenario, Peer peer, int round) {
        /** Warm-up time of this peer in this scenario. */
        int warmupMs() {
            return peer.compilesAsItRuns() ? scenario.jitWarmupMs() : scenario.warmupMs();
        }
    }

    static Plan of(List<Scenario> scenarios, List<Peer> peers, int rounds) {
        List<Step> steps = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            for (Scenario scenario : scenarios) {
                List<Peer> able = new ArrayList<>(
                        peers.stream().filter(peer -> takesPart(peer, scenario)).toList());
                Collections.rotate(able, 1 - round);
                for (Peer peer : able) {
                    steps.add(new Step(scenario, peer, round));
                }
            }
        }
        return new Plan(steps);
    }

    private static boolean takesPart(Peer peer, Scenario scenario) {
        return scenario.peers().contains(peer.name())
                && scenario.transports().stream().anyMatch(peer::speaks);
    }
}
