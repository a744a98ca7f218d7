package brig.protocol.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WallDemandTest {
    private static final List<WallKind> WEAK = List.of(WallKind.BWRAP);
    private static final List<WallKind> ALL = List.of(WallKind.values());

    @ParameterizedTest
    @CsvSource({"bwrap, BWRAP", "gvisor, GVISOR", "min:bwrap, BWRAP", "min:gvisor, GVISOR", "vm, VM", "min:vm, VM"})
    void shouldChooseTheWeakestThatWillDo(String text, WallKind kind) {
        assertEquals(kind, WallDemand.parse(text).choose(ALL));
        assertEquals(text, WallDemand.parse(text).toString());
    }

    @Test
    void shouldNeverChooseAWeakerOne() {
        assertNull(WallDemand.parse("gvisor").choose(WEAK));
        assertNull(WallDemand.parse("min:gvisor").choose(WEAK));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "min:", "docker", "GVISOR", "min:min:gvisor", "gvisor ", "kvm"})
    void shouldNameAllFormsWhenItIsNone(String text) {
        var refusal = assertThrows(IllegalArgumentException.class, () -> WallDemand.parse(text));
        assertTrue(refusal.getMessage().contains("min:gvisor"), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "min:bwrap, gvisor, gvisor",
        "gvisor, min:bwrap, gvisor",
        "min:bwrap, min:gvisor, min:gvisor",
        "min:gvisor, min:gvisor, min:gvisor",
        "gvisor, gvisor, gvisor",
        "min:gvisor, vm, vm",
    })
    void shouldMeetBothDemands(String one, String other, String both) {
        assertEquals(both, WallDemand.parse(one).and(WallDemand.parse(other)).toString());
        assertEquals(one, WallDemand.parse(one).and(null).toString());
    }

    @ParameterizedTest
    @CsvSource({"bwrap, gvisor", "gvisor, bwrap", "bwrap, min:gvisor", "min:gvisor, bwrap", "vm, gvisor"})
    void shouldRefuseDemandsThatExcludeEachOther(String one, String other) {
        assertThrows(IllegalArgumentException.class, () -> WallDemand.parse(one).and(WallDemand.parse(other)));
    }

    @Test
    void shouldNameTheFieldWhenARequestWantsNoKindOfWall() {
        var refusal = assertThrows(BrigException.class, () -> new SpawnRequest.Bounds(null, 0, 0, null, "strong"));
        assertTrue(refusal.getMessage().contains("wall"), refusal.getMessage());
    }
}
