package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.gateway.e2e.CrashCell.Victim;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@link CrashMatrixTest} where the agent is on another host: chosen steps with what can be killed: the ssh that joins the two, and what
 * is here, there, or on both at once. All steps of all: {@code -Dbrig.crash=all}. The findings are written to
 * build/reports/crash-matrix-remote.txt and .html.
 */
@Timeout(1800)
@Order(1)
@Tag("slow")
class RemoteCrashTest {
    private static final Set<Step> CHOSEN = "all".equals(System.getProperty("brig.crash"))
            ? EnumSet.allOf(Step.class)
            : EnumSet.of(Step.WORKER_ASKED, Step.FIRST_FRAMES, Step.END_TOLD);

    private static boolean plays(Step step, Victim victim) {
        boolean hasNobodyToReach = victim == Victim.WORKER_AGENT || victim == Victim.BOTH;
        return CHOSEN.contains(step) && !(step == Step.ASKED_LATE && hasNobodyToReach);
    }

    @Test
    void shouldEndInOneWayWhateverIsKilled() throws Exception {
        List<String> failed = new ArrayList<>();
        List<List<String>> found = new ArrayList<>();
        try (RemoteCrashSite site = new RemoteCrashSite()) {
            for (Victim victim :
                    List.of(Victim.LINK, Victim.LINK_AND_GATEWAY, Victim.GATEWAY, Victim.WORKER_AGENT, Victim.BOTH)) {
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
            CrashReport.write("crash-matrix-remote", found);
            assertEquals(List.of(), failed);
            RemoteLinkTest.requireNothingLeft(site.host());
        }
    }
}
