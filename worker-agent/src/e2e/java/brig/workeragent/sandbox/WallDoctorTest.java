package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.workeragent.limits.LimitsBackend;
import brig.workeragent.limits.RlimitsOnly;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WallDoctorTest {

    private static List<Finding> examine(Path bwrap) {
        var backend = new RlimitsOnly();
        try (var wall = new WallFixture(backend, bwrap)) {
            var config = new LauncherConfig(
                    bwrap,
                    WallFixture.nativeFolder(),
                    wall.root.resolve("run"),
                    wall.identity,
                    backend,
                    GvisorProgram.at(Path.of("/no/runsc")),
                    WallFixture.machines(Path.of("/no/kernel")));
            return new WallDoctor(wall.launcher, config, new LimitsBackend.Probe(backend, List.of("cgroup: no")))
                    .examine(wall.workspace);
        }
    }

    @Test
    void shouldFindEverythingInOrderButTheWeakLimits() throws SandboxException {
        boolean ownUser = WorkerIdentity.ofHost(WorkerIdentity.DEFAULT_UID).switched();
        for (Finding finding : examine(LauncherConfig.BWRAP)) {
            boolean weak = finding.name().equals("resource limits")
                    || (finding.name().equals("counted for the user") && !ownUser);
            FindingStatus expected = weak ? FindingStatus.WARN : FindingStatus.OK;
            assertEquals(expected, finding.status(), finding.toString());
        }
        assertEquals(36, examine(LauncherConfig.BWRAP).size());
    }

    @Test
    void shouldNameTheMendWhenBubblewrapIsMissing() {
        var failed = examine(Path.of("/no/bwrap")).stream()
                .filter(finding -> finding.status() == FindingStatus.FAIL)
                .toList();
        assertEquals(
                List.of("bubblewrap", "trial wall"),
                failed.stream().map(Finding::name).toList());
        assertTrue(String.valueOf(failed.getFirst().mend()).contains("apt-get install bubblewrap"));
    }
}
