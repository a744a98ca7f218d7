package brig.workeragent.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LastLinesTest {
    private final LastLines last = new LastLines();

    @Test
    void shouldSayThatNothingWasWritten() {
        last.add(" \n");
        assertEquals("; it wrote nothing", last.told());
    }

    @Test
    void shouldKeepWholeLinesOfTheEnd() {
        for (int i = 0; i < 1000; i++) {
            last.add("line " + i + "\n");
        }
        String told = last.told();
        assertTrue(told.startsWith("; it wrote last:\nline ") && told.endsWith("\nline 999"), told);
        assertTrue(told.length() < 1600 && told.length() > 1400, told);
        assertFalse(told.contains("line 1\n"), told);
    }

    @Test
    void shouldKeepEndOfLineThatIsTooLong() {
        last.add("x".repeat(100_000) + "end\n");
        String told = last.told();
        assertTrue(told.endsWith("xend"), told);
        assertTrue(told.length() < 1600, () -> "too long: " + told.length());
    }
}
