package brig.loadtests.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.loadtests.suite.Bound;
import brig.loadtests.suite.Figure;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsTest {
    private static final Bound FIFTH = new Bound("fan-out", "cpu_per_million", "nats", "", 20, 0, 0, "5x");

    @Test
    void shouldJudgeByMediansOfTheRunsThatCount() {
        Results results = Samples.results(
                List.of(FIFTH),
                Samples.run("fan-out", "brig", 1, Outcome.OK, 0.19),
                Samples.run("fan-out", "nats", 1, Outcome.OK, 1),
                Samples.run("fan-out", "brig", 2, Outcome.VOID, 99),
                Samples.run("fan-out", "nats", 2, Outcome.LOST, 0.001));
        Verdict verdict = results.verdicts().getFirst();
        assertEquals(Verdict.Status.HOLDS, verdict.status());
        assertEquals("19.0 % (0.190 / 1.00)", verdict.evidence());
        assertEquals(0, results.exitCode());
        Series brig = results.series("fan-out", "brig").orElseThrow();
        assertEquals(1, brig.valid().size());
        assertEquals(List.of("VOID because"), brig.faults());
    }

    @Test
    void shouldEndWith3WhenABoundDoesNotHold() {
        Results results = Samples.results(
                List.of(FIFTH),
                Samples.run("fan-out", "brig", 1, Outcome.OK, 21),
                Samples.run("fan-out", "nats", 1, Outcome.OK, 1));
        assertEquals(Verdict.Status.FAILS, results.verdicts().getFirst().status());
        assertEquals("2100 % (21.0 / 1.00)", results.verdicts().getFirst().evidence());
        assertEquals(3, results.exitCode());
    }

    @Test
    void shouldSayUnmeasuredWhenThePeerIsNotThere() {
        Results results = Samples.results(List.of(FIFTH), Samples.run("fan-out", "brig", 1, Outcome.OK, 0.1));
        assertEquals(Verdict.Status.UNMEASURED, results.verdicts().getFirst().status());
        assertEquals(0, results.exitCode());
    }

    @Test
    void shouldEndWith1WhenBrigLostSomethingAndNotWhenAPeerDid() {
        assertEquals(
                1,
                Samples.results(List.of(), Samples.run("fan-out", "brig", 1, Outcome.LOST, 1))
                        .exitCode());
        assertEquals(
                1,
                Samples.results(List.of(), Samples.run("fan-out", "brig", 1, Outcome.BROKEN, 1))
                        .exitCode());
        assertEquals(
                0,
                Samples.results(List.of(), Samples.run("fan-out", "nats", 1, Outcome.LOST, 1))
                        .exitCode());
    }

    @Test
    void shouldLeaveOutBoundsOfScenariosThatDidNotRun() {
        assertTrue(Samples.results(List.of(FIFTH), Samples.run("other", "brig", 1, Outcome.OK, 1))
                .verdicts()
                .isEmpty());
    }

    @Test
    void shouldHoldAnAbsoluteBoundAgainstNobody() {
        Bound value = new Bound("fan-out", "cpu_per_million", "", "", 0, 0, 1, "");
        assertEquals(
                Verdict.Status.HOLDS,
                Samples.results(List.of(value), Samples.run("fan-out", "brig", 1, Outcome.OK, 0.9))
                        .verdicts()
                        .getFirst()
                        .status());
        assertEquals(
                Verdict.Status.FAILS,
                Samples.results(List.of(value), Samples.run("fan-out", "brig", 1, Outcome.OK, 1.1))
                        .verdicts()
                        .getFirst()
                        .status());
    }

    @Test
    void shouldSumTheLatenciesOfAllRounds() {
        Results results = Samples.results(
                List.of(),
                Samples.run("fan-out", "brig", 1, Outcome.OK, 1),
                Samples.run("fan-out", "brig", 2, Outcome.OK, 3));
        Series series = results.series("fan-out", "brig").orElseThrow();
        assertEquals(4, series.latencyNs().getTotalCount());
        assertEquals(new Spread(2, 1, 3), series.spread(Figure.CPU_PER_MILLION).orElseThrow());
    }
}
