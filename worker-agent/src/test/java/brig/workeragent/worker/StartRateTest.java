package brig.workeragent.worker;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import org.junit.jupiter.api.Test;

class StartRateTest {
    private static final long NOW_MS = 1_000_000;

    private static int taken(StartRate rate, long nowMs) {
        for (int i = 0; ; i++) {
            try {
                rate.take(nowMs);
            } catch (BrigException refusal) {
                return i;
            }
        }
    }

    @Test
    void shouldAllowASecondsWorthAtOnceAndThenAsMuchAsTimePasses() {
        StartRate rate = new StartRate(10, NOW_MS);
        assertEquals(10, taken(rate, NOW_MS));
        assertEquals(0, taken(rate, NOW_MS + 99));
        assertEquals(1, taken(rate, NOW_MS + 100));
        assertEquals(3, taken(rate, NOW_MS + 400));
        assertEquals(10, taken(rate, NOW_MS + 3_600_000), "what was not used is not kept");
    }

    @Test
    void shouldSayWhatIsReachedAndWhenToComeAgain() {
        StartRate rate = new StartRate(1, NOW_MS);
        rate.take(NOW_MS);
        BrigException refusal = assertThrows(BrigException.class, () -> rate.check(NOW_MS));
        assertEquals(ErrorCode.PROVIDER_RATE_LIMITED, refusal.code());
        assertEquals("worker.startsPerSecondMax (1) is reached", refusal.getMessage());
        assertEquals(1, refusal.retryAfterSeconds().orElseThrow());
    }

    @Test
    void shouldTakeNothingWhenItIsOnlyAsked() {
        StartRate rate = new StartRate(1, NOW_MS);
        rate.check(NOW_MS);
        rate.check(NOW_MS);
        assertEquals(1, taken(rate, NOW_MS));
    }

    @Test
    void shouldAllowNoMoreWhenTheClockIsSetBack() {
        StartRate rate = new StartRate(2, NOW_MS);
        assertEquals(2, taken(rate, NOW_MS));
        assertEquals(0, taken(rate, NOW_MS - 10_000));
        assertEquals(1, taken(rate, NOW_MS - 9_500));
    }

    @Test
    void shouldAllowAllWhenThereIsNoBound() {
        StartRate rate = new StartRate(0, NOW_MS);
        for (int i = 0; i < 1000; i++) {
            assertDoesNotThrow(() -> rate.take(NOW_MS));
        }
    }
}
