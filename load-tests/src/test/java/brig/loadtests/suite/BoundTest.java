package brig.loadtests.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BoundTest {
    @Test
    void shouldAllowAtMostAPartOfThePeer() {
        Bound fifth = new Bound("a", "cpu_per_million", "nats", "", 20, 0, 0, "");
        assertTrue(fifth.allows(0.2, 1));
        assertFalse(fifth.allows(0.21, 1));
        assertEquals("CPU s/million at most 20 % of nats", fifth.text());
    }

    @Test
    void shouldAllowAtLeastAPartOfAnotherScenario() {
        Bound most = new Bound("a", "frames_per_second", "brig", "b", 0, 95, 0, "");
        assertTrue(most.allows(95, 100));
        assertFalse(most.allows(94, 100));
        assertEquals("frames/s at least 95 % of brig in b", most.text());
    }

    @Test
    void shouldAllowUpToAValue() {
        Bound value = new Bound("a", "bytes_per_reader", "", "", 0, 0, 16384, "");
        assertTrue(value.allows(16384, 0));
        assertFalse(value.allows(16385, 0));
        assertEquals("memory/reader at most 16.0 KiB", value.text());
    }

    @Test
    void shouldWriteValuesWithThreeDigits() {
        assertEquals("0.023", Figure.CPU_PER_MILLION.format(0.0231));
        assertEquals("22.8 M", Figure.FRAMES_PER_SECOND.format(22_810_000));
        assertEquals("5.00 k", Figure.FRAMES_PER_SECOND.format(5_000));
        assertEquals("-2.00 MiB", Figure.DRIFT_BYTES.format(-2 * 1024 * 1024));
        assertEquals("0 KiB", Figure.DRIFT_BYTES.format(0));
        assertEquals("63 %", Figure.GENERATOR_SHARE.format(0.63));
    }
}
