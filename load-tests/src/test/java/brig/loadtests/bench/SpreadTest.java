package brig.loadtests.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void shouldTakeTheMiddleOne() {
        assertEquals(new Spread(3, 1, 9), Spread.of(new double[] {9, 1, 3}));
    }

    @Test
    void shouldTakeTheMeanOfTheTwoInTheMiddle() {
        assertEquals(new Spread(2.5, 1, 9), Spread.of(new double[] {9, 3, 1, 2}));
    }

    @Test
    void shouldTakeTheOnlyOne() {
        assertEquals(new Spread(7, 7, 7), Spread.of(new double[] {7}));
    }
}
