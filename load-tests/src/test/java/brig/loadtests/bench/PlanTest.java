package brig.loadtests.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.loadtests.peers.Peer;
import brig.loadtests.peers.Server;
import brig.loadtests.peers.Site;
import brig.loadtests.suite.Scenario;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PlanTest {
    private record Fake(String name, String transport) implements Peer {
        @Override
        public Optional<String> missing() {
            return Optional.empty();
        }

        @Override
        public boolean speaks(String wanted) {
            return wanted.equals(transport);
        }

        @Override
        public boolean compilesAsItRuns() {
            return name.equals("brig");
        }

        @Override
        public Server start(Site site, String wanted) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void shouldInterleaveRoundsAndRotateThePeers() {
        List<Scenario> scenarios = List.of(Samples.saturated("a"), Samples.saturated("b"));
        Plan plan = Plan.of(scenarios, List.of(new Fake("brig", "ws"), new Fake("nats", "ws")), 2);
        assertEquals(
                List.of("1 a brig", "1 a nats", "1 b brig", "1 b nats", "2 a nats", "2 a brig", "2 b nats", "2 b brig"),
                plan.steps().stream()
                        .map(step -> step.round() + " " + step.scenario().name() + " "
                                + step.peer().name())
                        .toList());
    }

    @Test
    void shouldWarmUpThoseLongerThatCompileAsTheyRun() {
        Plan plan =
                Plan.of(List.of(Samples.saturated("a")), List.of(new Fake("brig", "ws"), new Fake("nats", "ws")), 1);
        assertEquals(
                List.of(2, 1), plan.steps().stream().map(Plan.Step::warmupMs).toList());
    }

    @Test
    void shouldLeaveOutPeersThatTheScenarioDoesNotNameOrThatSpeakNoneOfItsTransports() {
        Plan plan = Plan.of(
                List.of(Samples.saturated("a")),
                List.of(new Fake("brig", "ws"), new Fake("nats", "sse"), new Fake("other", "ws")),
                1);
        assertEquals(
                List.of("brig"),
                plan.steps().stream().map(step -> step.peer().name()).toList());
    }
}
