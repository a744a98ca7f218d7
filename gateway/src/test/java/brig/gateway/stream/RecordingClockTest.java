package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecordingClockTest {
    @Test
    void shouldNotLetManyStreamsWriteAtOneMoment() {
        List<Long> delaysMs = new ArrayList<>();
        RecordingClock clock = new RecordingClock((delayMs, task) -> {
            delaysMs.add(delayMs);
            return () -> {};
        });
        for (int i = 0; i < 100; i++) {
            clock.await(() -> {});
        }
        delaysMs.sort(null);
        assertTrue(delaysMs.getFirst() >= 500 && delaysMs.getLast() <= 1000, delaysMs::toString);
        // 100 in half a second: at the most two within any 5 ms.
        assertEquals(
                0,
                IntStream.range(2, 100)
                        .filter(i -> delaysMs.get(i) - delaysMs.get(i - 2) < 5)
                        .count(),
                delaysMs::toString);
    }
}
