package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.control.FindingStatus;
import brig.protocol.control.Posture;
import brig.protocol.spawn.WallKind;
import brig.workeragent.limits.RlimitsOnly;
import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What process 1 measures of a whole wall; {@link TamperedWallTest} takes each property away from one. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PostureTest {

    static final List<String> NAMES = List.of(
            "descriptors",
            "environment-empty",
            "home-sized",
            "init-sealed",
            "inotify-bounded",
            "limits",
            "no-capabilities",
            "no-host-sockets",
            "no-new-privs",
            "no-terminal",
            "own-cgroup",
            "own-ipc",
            "own-mounts",
            "own-network",
            "own-pid-namespace",
            "own-user-namespace",
            "own-uts",
            "proc-sys-read-only",
            "root-read-only",
            "seccomp-filter",
            "shm-sized",
            "tmp-sized",
            "uid-not-root",
            "workspace",
            "workspace-mounts");

    static final List<String> NAMES_WITH_EGRESS = NAMES.stream()
            .map(name -> name.equals("own-network") ? "egress-network" : name)
            .sorted()
            .toList();

    private static Posture measure(WallFixture wall, LaunchRequest request) throws IOException {
        BubblewrapProcess process = wall.launch(request);
        WallFixture.await(process.exit());
        process.stdout().stream().close();
        process.stderr().stream().close();
        process.network().close();
        return process.posture();
    }

    private static List<String> failed(Posture posture) {
        return posture.properties().stream()
                .filter(property -> !property.holds())
                .map(Object::toString)
                .toList();
    }

    @Test
    void shouldConfirmEveryPropertyWhenTheWallIsWhole() throws IOException {
        try (var wall = new WallFixture(new RlimitsOnly())) {
            Posture posture = measure(wall, wall.shell("true"));
            assertEquals(List.of(), failed(posture));
            assertEquals(
                    NAMES,
                    List.copyOf(new TreeSet<>(posture.properties().stream()
                            .map(Posture.Property::name)
                            .toList())));
            assertEquals("rlimits", posture.limits());
            assertTrue(
                    posture.notHeld().contains("CPU is not limited"),
                    posture.notHeld().toString());
            assertTrue(
                    posture.notHeld().getLast().startsWith("descriptors in flight"),
                    posture.notHeld().toString());
        }
    }

    @Test
    void shouldConfirmEveryPropertyWhenTheWallHasEgress() throws IOException {
        try (var wall = new WallFixture(new RlimitsOnly())) {
            Posture posture = measure(wall, WalledNetworkTest.withNetwork(wall, WalledNetworkTest.PLAN, false, "true"));
            assertEquals(List.of(), failed(posture));
            assertEquals(
                    NAMES_WITH_EGRESS,
                    List.copyOf(new TreeSet<>(posture.properties().stream()
                            .map(Posture.Property::name)
                            .toList())));
        }
    }

    @Test
    void shouldConfirmWhatAnotherProfileDeclares() throws IOException {
        try (var wall = new WallFixture(new RlimitsOnly())) {
            WallProfile usual = wall.profile();
            var profile = new WallProfile(
                    usual.workspace(),
                    true,
                    List.of(),
                    usual.environment(),
                    "other",
                    1 << 20,
                    1 << 21,
                    true,
                    NetworkPlan.NONE);
            Posture posture = measure(wall, LaunchRequest.of("other", profile, "true"));
            assertEquals(List.of(), failed(posture));
            assertTrue(posture.properties()
                    .contains(new Posture.Property("workspace", FindingStatus.OK, "mounted read-only")));
        }
    }

    @Test
    void shouldNotBeConfirmedWhenLessWasMeasuredThanDeclared() {
        var measurement = new PostureMeasurement(WallKind.BWRAP, List.of("limits", "workspace"), "rlimits", List.of());
        measurement.handleFinding("limits", "ok core=0");
        assertFalse(measurement.isConfirmed());
        assertTrue(measurement.failure().getMessage().contains("workspace (not measured)"));
        measurement.handleFinding("workspace", "ok writable");
        assertTrue(measurement.isConfirmed());
    }

    @Test
    void shouldNotBeConfirmedWhenOnePropertyDoesNotHold() {
        var measurement = new PostureMeasurement(WallKind.BWRAP, List.of("own-ipc"), "rlimits", List.of());
        measurement.handleFinding("own-ipc", "bad ipc:[1], which is the host's");
        assertFalse(measurement.isConfirmed());
        assertEquals(
                "the wall does not enforce what it declares: own-ipc (ipc:[1], which is the host's)",
                measurement.failure().getMessage());
    }
}
