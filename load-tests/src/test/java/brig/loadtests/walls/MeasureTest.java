package brig.loadtests.walls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class MeasureTest {
    @Test
    void shouldReadWhatItsScriptSaysInItsUnit() {
        assertEquals(1500, Measure.GIT.value("a warning\ntook 1500000\n"));
        // A million calls in half a second.
        assertEquals(500, Measure.SYSCALL.value("took 500000\n"));
    }

    @Test
    void shouldSayWhatAScriptSaidInstead() {
        assertEquals(
                "there is no npm",
                assertThrows(IllegalArgumentException.class, () -> Measure.NPM.value("there is no npm\n"))
                        .getMessage());
        assertEquals(
                "it said nothing",
                assertThrows(IllegalArgumentException.class, () -> Measure.NPM.value(""))
                        .getMessage());
    }

    @Test
    void shouldReadTheMemoryOfAProcessAsTheKernelWritesIt() {
        assertEquals(812, ProcessMemory.proportionalKib("""
                        5581a000-7ffd1000 ---p 00000000 00:00 0                          [rollup]
                        Rss:                3000 kB
                        Pss:                 812 kB
                        Pss_Anon:            700 kB
                        """));
    }
}
