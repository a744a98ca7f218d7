package brig.loadtests.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SuiteTest {
    @Test
    void shouldBindTheSuiteThatShips() {
        Suite suite = Suite.load();
        Set<String> names = new HashSet<>();
        suite.scenarios().forEach(scenario -> assertTrue(names.add(scenario.name()), scenario.name() + " twice"));
        assertTrue(names.containsAll(suite.quick().scenarios()));
        assertTrue(names.containsAll(suite.guard().scenarios()));
        assertFalse(suite.bounds().isEmpty());
    }

    @Test
    void shouldHoldBrigAgainstPeersThatTakePart() {
        Suite suite = Suite.load();
        for (Bound bound : suite.bounds()) {
            Scenario other = suite.scenario(bound.otherScenario()).orElseThrow();
            assertTrue(bound.peer().isEmpty() || other.peers().contains(bound.peer()), bound.toString());
            assertTrue(
                    suite.scenario(bound.scenario()).orElseThrow().figures().contains(Figure.of(bound.figure())),
                    bound.scenario() + " does not show what its bound is about");
        }
    }

    @Test
    void shouldLetAScenarioLeaveOutWhatTheDefaultsHave() {
        Suite suite = Suite.parse(file("{\"name\":\"one\",\"window\":5}", "{\"scenario\":\"one\",\"atMost\":7}"));
        assertEquals(100, suite.scenario("one").orElseThrow().readers());
        assertEquals(5, suite.scenario("one").orElseThrow().window());
    }

    @Test
    void shouldTakeTheTimesOfTheProfileWhereTheScenarioHasNone() {
        Scenario scenario = Suite.parse(file("{\"name\":\"one\",\"window\":5}", "{\"scenario\":\"one\",\"atMost\":7}"))
                .scenario("one")
                .orElseThrow();
        Scenario own = new Profile(1, 1, 2, 3, true, List.of(), List.of()).time(scenario);
        assertEquals(List.of(1, 7, 3), List.of(own.warmupMs(), own.jitWarmupMs(), own.durationMs()));
        Scenario others = new Profile(1, 1, 2, 3, false, List.of(), List.of()).time(scenario);
        assertEquals(List.of(1, 2, 3), List.of(others.warmupMs(), others.jitWarmupMs(), others.durationMs()));
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        refused("{\"name\":\"one\",\"windows\":5}", "{}", "field 'scenarios[0].windows' is not known here");
        refused("{\"name\":\"one\"}", "{}", "one of window, rateHz, idleFrames is needed");
        refused("{\"name\":\"one\",\"window\":5,\"role\":\"king\"}", "{}", "must be captain or watcher");
        refused("{\"name\":\"one\",\"window\":5,\"shows\":[\"speed\"]}", "{}", "figure 'speed' is unknown");
        refused("{\"name\":\"one\",\"window\":5}", "{\"scenario\":\"two\",\"atMost\":7}", "'two', which is unknown");
        refused("{\"name\":\"one\",\"window\":5}", "{\"scenario\":\"one\"}", "a bound needs a peer");
        refused(
                "{\"name\":\"one\",\"window\":5}",
                "{\"scenario\":\"one\",\"peer\":\"nats\",\"atMost\":7}",
                "a bound needs a peer");
    }

    private static void refused(String scenario, String bound, String why) {
        String message = assertThrows(BrigException.class, () -> Suite.parse(file(scenario, bound)))
                .getMessage();
        assertTrue(message.contains(why), message);
    }

    private static String file(String scenario, String bound) {
        String profile =
                "{\"rounds\":1,\"warmupMs\":1,\"jitWarmupMs\":2,\"durationMs\":3,\"ownTimes\":true,\"scenarios\":[],\"peers\":[]}";
        return """
                {"full": %s, "quick": %s, "guard": %s, "scenarios": [%s], "bounds": [%s],
                 "defaults": {"scenarios": {"says": "", "transports": ["ws"], "streams": 1, "readers": 100,
                    "contentBytes": 32, "window": 0, "rateHz": 0, "stall": 0, "flood": 0, "idleFrames": 0, "stormMs": 0,
                    "role": "watcher", "warmupMs": 0, "jitWarmupMs": 7, "durationMs": 0, "shows": ["p99_ms"], "memoryChart": false,
                    "peers": ["brig"]},
                  "bounds": {"figure": "p99_ms", "peer": "", "inScenario": "", "atMostPercent": 0,
                    "atLeastPercent": 0, "atMost": 0, "says": ""}}}""".formatted(profile, profile, profile, scenario, bound);
    }
}
