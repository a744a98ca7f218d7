package brig.loadtests.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.loadtests.engine.Engine.Progress;
import brig.loadtests.engine.EngineResult;
import brig.loadtests.peers.Server.HeapSample;
import brig.loadtests.suite.Figure;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class MeasuredTest {
    @Test
    void shouldNotCountAPacedRunWhoseGeneratorWasBusyOrLate() {
        assertEquals("", Measured.starved(Samples.paced("a"), result(0.5, 0.79, 1)));
        assertTrue(Measured.starved(Samples.paced("a"), result(0.5, 0.81, 1)).contains("81 %"));
        assertTrue(Measured.starved(Samples.paced("a"), result(0.5, 0.5, 1.1)).contains("late by itself"));
    }

    @Test
    void shouldNotCountASaturatedRunWhoseServerWaitedForTheGenerator() {
        assertEquals("", Measured.starved(Samples.saturated("a"), result(0.51, 0.99, 0)));
        assertEquals("", Measured.starved(Samples.saturated("a"), result(0.2, 0.94, 0)));
        assertTrue(
                Measured.starved(Samples.saturated("a"), result(0.49, 0.96, 0)).contains("bottleneck"));
    }

    @Test
    void shouldCountAnIdleRunHoweverBusyItsGeneratorWas() {
        assertEquals("", Measured.starved(Samples.idle("a"), result(0, 1, 0)));
    }

    @Test
    void shouldDivideTheCpuByAllFramesAndTheRateByThoseThatAreJudged() {
        Map<Figure, Double> figures = Measured.figures(Samples.saturated("a"), result(0.5, 0.5, 0));
        assertEquals(0.5, figures.get(Figure.CPU_PER_MILLION), 1e-9);
        assertEquals(500_000, figures.get(Figure.FRAMES_PER_SECOND), 1e-9);
        assertEquals(4, figures.get(Figure.P99_MS), 0.01);
        assertFalse(figures.containsKey(Figure.SEND_LAG_MS));
    }

    @Test
    void shouldDivideTheMemoryOfIdleReadersByTheirNumber() {
        Map<Figure, Double> figures = Measured.idle(Samples.idle("a"), new Memory(1000, 5000, 25_000), 30);
        assertEquals(1000, figures.get(Figure.BYTES_PER_READER));
        assertEquals(2400, figures.get(Figure.BYTES_PER_STREAM));
        assertEquals(30, figures.get(Figure.CONNECT_MS));
    }

    @Test
    void shouldFindMemoryThatDriftsAndIgnoreWhatIsNotKnownToBeInUse() {
        List<Progress> rising = IntStream.range(0, 40)
                .mapToObj(i -> new Progress(i, 0, 0, 1000L * i))
                .toList();
        List<HeapSample> teeth = IntStream.range(0, 40)
                .mapToObj(i -> new HeapSample(i, i % 2 == 0 ? 5000 + i % 3 * 100 : 10 * i, i % 2 == 0))
                .toList();
        Map<Figure, Double> figures = Measured.drift(rising, teeth);
        assertEquals(20_000, figures.get(Figure.DRIFT_BYTES));
        assertEquals(0, figures.get(Figure.HEAP_DRIFT_BYTES));
        assertTrue(Measured.drift(rising.subList(0, 3), List.of()).isEmpty());
    }

    private static EngineResult result(double serverShare, double generatorShare, double sendLagMs) {
        Histogram latency = new Histogram(3);
        latency.recordValue(4_000_000);
        return new EngineResult(
                null,
                1,
                1_000_000,
                0.5,
                List.of(0.5),
                serverShare,
                generatorShare,
                sendLagMs,
                0,
                0,
                new EngineResult.Group(1_000_000, new Histogram(3)),
                new EngineResult.Group(500_000, latency));
    }
}
