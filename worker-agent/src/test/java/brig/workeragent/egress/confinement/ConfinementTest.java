package brig.workeragent.egress.confinement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.egress.confinement.SelfMeasurement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConfinementTest {
    private static final int UID = 900;
    private static final String USER = "900 900 900 900";
    private static final String NONE =
            "0000000000000000 0000000000000000 0000000000000000 0000000000000000 0000000000000000";
    private static final SelfMeasurement CONFINED =
            new SelfMeasurement(USER, USER, "", NONE, "1", "2", false, false, "LC_ALL PWD", "1 2", List.of());

    private static List<String> failures(SelfMeasurement found) {
        return Confinement.judge(found, UID, true).stream()
                .filter(property -> !property.holds())
                .map(property -> property.name())
                .toList();
    }

    private static SelfMeasurement with(
            @Nullable Boolean startsPrograms, @Nullable Boolean makesLocalSockets, @Nullable List<String> sees) {
        return new SelfMeasurement(USER, USER, "", NONE, "1", "2", startsPrograms, makesLocalSockets, "", "1 2", sees);
    }

    @Test
    void shouldFindAConfinedProcessConfined() {
        assertEquals(List.of(), failures(CONFINED));
        assertEquals(7, Confinement.judge(CONFINED, UID, true).size());
    }

    @Test
    void shouldNameEachPropertyThatDoesNotHold() {
        assertEquals(
                List.of(
                        "egress-user",
                        "egress-capabilities",
                        "egress-no-new-privileges",
                        "egress-system-calls",
                        "egress-environment",
                        "egress-processes",
                        "egress-files"),
                failures(new SelfMeasurement(
                        "0 0 0 0", USER, "", "1", "0", "0", true, true, "PATH", "1 2 3", List.of("/etc/shadow"))));
        assertEquals(
                List.of("egress-user"),
                failures(new SelfMeasurement(USER, USER, "0", NONE, "1", "2", false, false, "", "1 2", List.of())));
    }

    @Test
    void shouldNotTakeWhatWasNotMeasuredForHeld() {
        assertEquals(List.of("egress-system-calls"), failures(with(null, false, List.of())));
        assertEquals(List.of("egress-system-calls"), failures(with(false, null, List.of())));
        assertEquals(List.of("egress-files"), failures(with(false, false, null)));
    }
}
