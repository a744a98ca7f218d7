package brig.loadtests.walls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class CheckpointFiguresTest {
    private static Taken.Values values(Double... values) {
        return new Taken.Values(List.of(values));
    }

    @Test
    void shouldHoldUpToASecondAndAMebibyteAtTheMedian() {
        assertTrue(new CheckpointFigures(values(1.0, 1000.0, 9000.0), values(1048576.0)).holds());
        assertFalse(new CheckpointFigures(values(1001.0), values(1.0)).holds());
        assertFalse(new CheckpointFigures(values(1.0), values(1048577.0)).holds());
    }

    @Test
    void shouldNameTheBoundThatDoesNotHold() {
        CheckpointFigures figures = new CheckpointFigures(values(1400.0, 300.0, 1200.0), values(512 * 1024.0));
        assertEquals(
                List.of(
                        "time, ms         1200 (300 to 1400); at most 1000: DOES NOT HOLD",
                        "kept more, KiB   512 (512 to 512); at most 1024"),
                figures.lines());
        assertEquals(1200.0, figures.json().object("time_ms").value("p50"));
        assertFalse(figures.json().flag("holds"));
    }
}
