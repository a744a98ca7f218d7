package brig.egress.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SpendingTest {
    private static final long MIB = 1024 * 1024;

    private final Spending spending = new Spending(
            new Purses(() -> 0, new Purses.Listener() {
                @Override
                public void handleStep(PurseView purse) {}

                @Override
                public void handleFull() {}
            }),
            new CallBounds(1, 1, 1));

    @Test
    void shouldKeepRoomForShortRequestsBesideLongOnes() {
        AtomicLong hostile = new AtomicLong();
        AtomicLong other = new AtomicLong();
        assertTrue(spending.hold(hostile, 32 * MIB));
        assertFalse(spending.hold(hostile, 1));
        assertTrue(spending.hold(other, 2 * MIB));
        assertFalse(spending.hold(other, 1));
        for (int i = 0; i < 7; i++) {
            assertTrue(spending.hold(new AtomicLong(), 2 * MIB));
        }
        assertFalse(spending.hold(new AtomicLong(), 1));
        spending.release(hostile, 32 * MIB);
        assertTrue(spending.hold(other, 10 * MIB));
        assertEquals(12 * MIB, other.get());
        assertEquals(0, hostile.get());
        assertEquals(26 * MIB, spending.held().get());
    }
}
