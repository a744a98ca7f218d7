package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.gateway.e2e.CrashCell.Victim;
import brig.protocol.spawn.WallKind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@link CrashMatrixTest} behind second kernels: chosen steps, at which the kernel or the worker-agent that started it is killed. All
 * steps: {@code -Dbrig.crash=all}. The findings are written to build/reports/crash-matrix-gvisor.txt, crash-matrix-vm.txt, and as pages.
 */
@Timeout(1800)
@Order(1)
@Tag("slow")
class WalledCrashTest {
    private static final Set<Step> CHOSEN = "all".equals(System.getProperty("brig.crash"))
            ? EnumSet.allOf(Step.class)
            : EnumSet.of(Step.WORKER_ASKED, Step.FIRST_FRAMES, Step.END_ASKED, Step.END_TOLD);

    private static boolean plays(Step step, Victim victim) {
        boolean isPossible = victim == Victim.KERNEL ? step.hasAgent : step != Step.ASKED_LATE;
        return CHOSEN.contains(step) && isPossible;
    }

    @ParameterizedTest
    @EnumSource(value = WallKind.class, mode = EnumSource.Mode.EXCLUDE, names = "BWRAP")
    void shouldEndInOneWayWhateverIsKilled(WallKind wall) throws Exception {
        assumeTrue(SecondKernels.areHere(wall), "the build found no gVisor, or no QEMU and kernel");
        List<String> failed = new ArrayList<>();
        List<List<String>> found = new ArrayList<>();
        try (CrashSite site = new LocalCrashSite(wall)) {
            for (Victim victim : List.of(Victim.WORKER_AGENT, Victim.KERNEL)) {
                for (Step step : Step.values()) {
                    if (plays(step, victim)) {
                        try {
                            found.add(new CrashCell(site, step, victim).run());
                        } catch (AssertionError | Exception e) {
                            failed.add(step + " x " + victim + ": " + e);
                        }
                    }
                }
            }
        }
        CrashReport.write("crash-matrix-" + wall.word(), found);
        assertEquals(List.of(), failed);
    }
}
