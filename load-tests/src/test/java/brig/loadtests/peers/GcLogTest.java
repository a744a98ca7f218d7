package brig.loadtests.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.loadtests.peers.Server.HeapSample;
import java.util.List;
import org.junit.jupiter.api.Test;

class GcLogTest {
    @Test
    void shouldReadTheHeapBehindEachCollection() {
        assertEquals(
                List.of(
                        new HeapSample(1763779461234L, 12L << 20, false),
                        new HeapSample(1763779462000L, 13L << 20, true)),
                GcLog.parse("""
                [1763779461000ms] Using Serial
                [1763779461234ms] GC(0) Pause Young (Allocation Failure) 68M->12M(247M) 12.345ms
                [1763779462000ms] GC(1) Pause Full (System.gc()) 40M->13M(247M) 20.000ms
                [17637"""));
    }
}
