package brig.loadtests.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.loadtests.engine.EngineResult;
import brig.loadtests.suite.Figure;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ClusterFiguresTest {
    private final ClusterFigures figures = new ClusterFigures(List.of(Way.values()));

    private String line(String beginning) {
        return figures.lines().stream()
                .filter(line -> line.startsWith(beginning))
                .findFirst()
                .orElse("")
                .replaceAll(" +", " ");
    }

    private void addPaced(Way way, double p50) {
        figures.add(way, Load.PACED, Map.of(Figure.P50_MS, p50));
    }

    private void addStream(Way way, double framesPerSecond) {
        figures.add(way, Load.STREAM, Map.of(Figure.FRAMES_PER_SECOND, framesPerSecond));
    }

    @Test
    void shouldShowMediansWithTheirRatioToOneGatewayAlone() {
        for (double value : new double[] {3e6, 1e6, 2e6}) {
            addStream(Way.ALONE, value);
            addStream(Way.THREE, value * 0.75);
        }
        assertEquals("acknowledged, frames/s 2.00 M - 1.50 M (0.75x) -", line("acknowledged, frames/s"));
        assertEquals("", line("read,"), "what was not measured has no row");
    }

    @Test
    void shouldHoldUpToTwoMillisecondsMoreAndFromAMillionFrames() {
        addPaced(Way.ALONE, 0.5);
        addPaced(Way.ELSEWHERE, 2.5);
        addStream(Way.THREE, 1e6);
        assertTrue(figures.holds());
        assertTrue(figures.isComplete());
        addPaced(Way.THREE, 2.6);
        assertFalse(figures.holds());
        assertEquals("DOES NOT HOLD: three gateways adds 2.10 ms, at most 2.00 ms", line("DOES NOT HOLD"));
    }

    @Test
    void shouldNameTheStreamThatIsTooSlow() {
        addStream(Way.CLUSTER, 999_000);
        assertFalse(figures.holds());
        assertEquals("DOES NOT HOLD: with the cluster on takes 999 k frames/s, at least 1.00 M", line("DOES NOT HOLD"));
    }

    @Test
    void shouldTellTheSameAsJson() {
        addPaced(Way.ALONE, 1);
        addPaced(Way.ELSEWHERE, 2);
        addPaced(Way.ELSEWHERE, 4);
        JsonObject elsewhere = figures.json().object("three_elsewhere");
        JsonObject p50 = elsewhere.object("paced").object("p50_ms");
        assertEquals(3.0, p50.value("median"));
        assertEquals(3.0, p50.value("times_alone"));
        assertEquals(List.of(2.0, 4.0), p50.elements("values"));
        assertEquals(2.0, elsewhere.value("added_p50_ms"));
    }

    @Test
    void shouldNotBeCompleteAfterARunThatLostSomething() {
        figures.fail(Way.THREE, Load.READ, "3 frames were missing");
        assertFalse(figures.isComplete());
        assertEquals(List.of("read, three gateways: 3 frames were missing"), figures.faults());
        assertEquals("read, three gateways: 3 frames were missing", line("read, three"));
    }

    private static EngineResult result(double published, double delivered) {
        Histogram latency = new Histogram(3);
        latency.recordValue(4_000_000);
        EngineResult.Group all = new EngineResult.Group(delivered, latency);
        return new EngineResult(null, 2, published, 6, List.of(1.0, 2.0, 3.0), 3, 0.1, 0, 0, 0, all, all);
    }

    @Test
    void shouldCountWhatWasAcknowledgedOrRead() throws IOException {
        EngineResult result = result(4e6, 1e6);
        Map<Figure, Double> stream = Load.STREAM.measured(Way.CLUSTER, result);
        assertEquals(2e6, stream.get(Figure.FRAMES_PER_SECOND));
        assertEquals(1.5, stream.get(Figure.CPU_PER_MILLION));
        assertEquals(1.25, stream.get(Figure.NATS_CPU_PER_MILLION), "all but one gateway");
        assertEquals(5e5, Load.READ.measured(Way.CLUSTER, result).get(Figure.FRAMES_PER_SECOND));
        Map<Figure, Double> paced = Load.PACED.measured(Way.ALONE, result);
        assertEquals(4.0, paced.get(Figure.P50_MS), 0.01);
        assertEquals(5.0, paced.get(Figure.NATS_CPU_PER_MILLION));
    }

    @Test
    void shouldNotCountARunWithoutFrames() {
        assertThrows(IOException.class, () -> Load.STREAM.measured(Way.ALONE, result(0, 5)));
        assertThrows(IOException.class, () -> Load.READ.measured(Way.ALONE, result(5, 0)));
    }

    @Test
    void shouldMeasureTheStreamOnceForBothPlacesOfReaders() {
        assertTrue(Load.STREAM.differs(Way.THREE));
        assertFalse(Load.STREAM.differs(Way.ELSEWHERE));
        assertTrue(Load.PACED.differs(Way.ELSEWHERE));
    }
}
