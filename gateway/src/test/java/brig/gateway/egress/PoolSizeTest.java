package brig.gateway.egress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PoolSizeTest {
    private final PoolSize size = new PoolSize();

    private void fill() {
        for (int missing = size.missing(); missing > 0; missing--) {
            size.add();
        }
    }

    @Test
    void shouldReplaceWhatWasLostOrTaken() {
        fill();
        assertEquals(0, size.missing());
        size.lose();
        size.take();
        assertEquals(2, size.missing());
    }

    @Test
    void shouldGrowWhenAllWereTakenUpToAMaximum() {
        for (int round = 0; round < 10; round++) {
            int waiting = size.missing();
            fill();
            for (int i = 0; i < waiting; i++) {
                size.take();
            }
        }
        assertEquals(PoolSize.WAITING_MAX, size.missing());
    }
}
