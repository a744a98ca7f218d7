package brig.workeragent.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DiskGrowthTest {
    private static final long MIB = 1 << 20;

    private long nowMs;
    private long takesMs;
    private long bytes = 500 * MIB;
    private int counts;

    private DiskGrowth growth(long bytesMax) {
        DiskGrowth growth = new DiskGrowth(
                bytesMax,
                enough -> {
                    counts++;
                    nowMs += takesMs;
                    return bytes;
                },
                () -> nowMs);
        growth.begin(0);
        return growth;
    }

    @Test
    void shouldNotCountWhatWasThereWhenTheSessionBegan() {
        DiskGrowth growth = growth(100 * MIB);
        assertEquals(0, growth.look(0, false));
        assertFalse(growth.exceeded());
    }

    @Test
    void shouldCountWhatCameBeforeTheFirstLook() {
        DiskGrowth growth = growth(100 * MIB);
        growth.begin(1000 * MIB);
        assertEquals(101 * MIB, growth.look(101 * MIB, false));
        assertTrue(growth.exceeded());
        DiskGrowth shrunk = growth(100 * MIB);
        assertEquals(0, shrunk.look(-200 * MIB, false));
        DiskGrowth beside = growth(0);
        assertEquals(500 * MIB, beside.look(9000 * MIB, false), "no more than there is");
    }

    @Test
    void shouldCountAgainWhenTheFileSystemGrewByHalfOfWhatIsLeft() {
        DiskGrowth growth = growth(100 * MIB);
        growth.look(0, false);
        bytes += 49 * MIB;
        assertEquals(0, growth.look(49 * MIB, false));
        assertEquals(1, counts);
        bytes += MIB;
        assertEquals(50 * MIB, growth.look(50 * MIB, false));
        bytes += 51 * MIB;
        assertEquals(101 * MIB, growth.look(101 * MIB, false));
        assertTrue(growth.exceeded());
    }

    @Test
    void shouldCountOnceAMinuteOnlyWhereSomethingChanged() {
        DiskGrowth growth = growth(100 * MIB);
        growth.look(0, false);
        bytes += MIB;
        nowMs = DiskGrowth.HOLDS_MS;
        assertEquals(0, growth.look(0, false));
        assertEquals(MIB, growth.look(-1, false));
    }

    @Test
    void shouldCountAnyChangeWhenTheFileSystemIsNearlyFull() {
        DiskGrowth growth = growth(0);
        growth.look(0, false);
        bytes += MIB;
        assertEquals(0, growth.look(0, true));
        assertEquals(MIB, growth.look(1, true));
        assertFalse(growth.exceeded());
    }

    @Test
    void shouldRestFourTimesAsLongAsItCounted() {
        takesMs = 1000;
        DiskGrowth growth = growth(100 * MIB);
        growth.look(0, false);
        bytes += 200 * MIB;
        nowMs = 4999;
        assertEquals(0, growth.look(200 * MIB, true));
        nowMs = 5000;
        assertEquals(200 * MIB, growth.look(200 * MIB, true));
    }
}
