package brig.loadtests.guard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.loadtests.bench.Outcome;
import brig.loadtests.bench.Samples;
import brig.loadtests.guard.Comparison.Judgement;
import brig.loadtests.guard.Comparison.Pair;
import brig.loadtests.guard.Measurements.Side;
import brig.loadtests.report.Heading;
import brig.loadtests.suite.Figure;
import brig.loadtests.whole.Costs;
import brig.loadtests.whole.Load;
import brig.loadtests.whole.PaceEvent;
import brig.loadtests.whole.Paced;
import brig.loadtests.whole.Role;
import brig.protocol.json.JsonObject;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When a product is worse than an earlier one. */
class GuardTest {
    private static final double TOLERANCE = 0.1;
    private static final int ROUNDS = 5;
    private static final Load LOAD = new Load(10, 10, 2, 1, 10);
    private static final long ALL_LINES = 2000;

    private final Measurements measured = new Measurements();

    private static Judgement judge(double... ratios) {
        List<Pair> pairs =
                Arrays.stream(ratios).mapToObj(ratio -> new Pair(2, 2 * ratio)).toList();
        return new Comparison("paced-sse", "p50", Figure.P50_MS, pairs).judge(TOLERANCE);
    }

    private GuardReport report() {
        return GuardReport.of(
                new Heading("machine", "date", "guard", List.of()), Path.of("/before"), TOLERANCE, ROUNDS, measured);
    }

    /** Rounds of {@code brig bench} in which this product took that much of the baseline's CPU. */
    private void rounds(double... ratios) {
        for (int i = 0; i < ratios.length; i++) {
            measured.add(Side.BASELINE, Samples.run("many-ws", "baseline", i + 1, Outcome.OK, 2));
            measured.add(Side.THIS, Samples.run("many-ws", "this", i + 1, Outcome.OK, 2 * ratios[i]));
        }
    }

    private static Paced whole(long lines, long faults, double gatewayCpuSeconds) {
        Costs before = new Costs(Map.of());
        Costs after = new Costs(Map.of(
                Role.GATEWAY, new Costs.Cost(1, gatewayCpuSeconds, 1 << 20, 9),
                Role.WORKER_AGENT, new Costs.Cost(1, 1, 1 << 20, 9)));
        PaceEvent.Result result = new PaceEvent.Result(lines, faults, 0, 0.2, 1, 2, 3);
        return new Paced(LOAD, result, Instant.EPOCH, before, Instant.EPOCH, after);
    }

    @Test
    void shouldFindWorseOnlyWhatIsBeyondToleranceAndChance() {
        assertEquals(Judgement.WORSE, judge(1.2, 1.12, 1.3, 1.02, 1.15));
        assertEquals(Judgement.SAME, judge(1.09, 1.05, 1.09, 1.08, 1.2), "within the tolerance");
        assertEquals(Judgement.SAME, judge(1.2, 1.12, 1.3, 0.98, 1.15), "a round contradicts");
        assertEquals(Judgement.WORSE, judge(1.2, 1.12, 1.3, 0.98, 1.15, 1.2, 1.2), "one of seven may");
        assertEquals(Judgement.BETTER, judge(0.8, 0.7, 0.85, 0.6, 0.99));
        assertEquals(Judgement.UNMEASURED, judge(2, 2, 2), "three rounds may be chance");
        assertEquals(Judgement.UNMEASURED, judge());
    }

    @Test
    void shouldCountHowOftenChanceAgrees() {
        assertEquals(1.0 / 32, Comparison.chance(5, 5));
        assertEquals(6.0 / 32, Comparison.chance(5, 4));
        assertEquals(8.0 / 128, Comparison.chance(7, 6));
        assertEquals(1, Comparison.chance(3, 0));
    }

    @Test
    void shouldSayWithItsExitCodeWhatItFound() {
        rounds(1, 1.01, 0.98, 1.02, 1);
        assertEquals(0, report().exitCode());
        rounds(1.5, 1.4, 1.6, 1.3, 1.5);
        assertEquals(3, report().exitCode());
        measured.add(Side.BASELINE, Samples.run("many-ws", "baseline", 6, Outcome.LOST, 2));
        assertEquals(1, report().exitCode());
        assertTrue(
                GuardReport.table(measured, TOLERANCE).contains("baseline, many-ws, round 6: LOST"),
                () -> GuardReport.table(measured, TOLERANCE));
    }

    @Test
    void shouldFailWhereNoFrameCame() {
        rounds(1, 1, 1, 1, Double.POSITIVE_INFINITY);
        assertEquals(4, measured.comparisons().getFirst().pairs().size());
        assertEquals(1, report().exitCode());
        assertTrue(new String(report().line(), UTF_8).contains("no frame came"));
    }

    @Test
    void shouldFailWhereTooFewRoundsCount() {
        rounds(1, 1, 1, 1, 1);
        measured.add(Side.THIS, Samples.run("other", "this", 1, Outcome.OK, 2));
        assertEquals(1, report().exitCode());
        assertTrue(GuardReport.table(measured, TOLERANCE).contains("unmeasured"));
    }

    @Test
    void shouldCountVoidRunsAndLeaveThemOut() {
        rounds(1, 1, 1, 1);
        measured.add(Side.BASELINE, Samples.run("many-ws", "baseline", 5, Outcome.OK, 2));
        measured.add(Side.THIS, Samples.run("many-ws", "this", 5, Outcome.VOID, 9));
        assertEquals(4, measured.comparisons().getFirst().pairs().size());
        assertTrue(GuardReport.table(measured, TOLERANCE).contains("other work: 1\n"));
        assertEquals(0, report().exitCode());
    }

    @Test
    void shouldTakeTheWholePathIn() {
        for (int round = 1; round <= ROUNDS; round++) {
            assertTrue(measured.add(Side.BASELINE, round, whole(ALL_LINES, 0, 1)));
            assertTrue(measured.add(Side.THIS, round, whole(ALL_LINES, 0, 1.5)));
        }
        assertEquals(3, report().exitCode());
        assertEquals("gateway CPU s/million", measured.comparisons().getFirst().name());
        assertEquals(5, measured.comparisons().size());
        assertTrue(!measured.add(Side.THIS, 6, whole(ALL_LINES / 2, 0, 1)), "the agents were late");
        assertEquals(1, measured.voids());
        measured.add(Side.THIS, 6, whole(ALL_LINES, 2, 1));
        assertEquals(1, report().exitCode());
    }

    @Test
    void shouldWriteOneObjectOfJson() {
        rounds(1.5, 1.4, 1.6, 1.3, 1.5);
        JsonObject figure = JsonObject.read(report().line()).objects("figures").getFirst();
        assertEquals("worse", figure.text("judgement", ""));
        assertEquals(1.5, figure.object("ratio").value("median"));
        assertEquals(ROUNDS, figure.number("rounds", 0));
    }
}
