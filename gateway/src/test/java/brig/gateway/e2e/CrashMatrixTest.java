package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every step of a spawn, and every process that can be killed at it. Whatever was killed, the captain repeats its request
 * and asks for the end; then one run of the agent has ended in one way, nothing is left running, and every frame that
 * anybody saw is in the record. The findings are written to build/reports/crash-matrix.txt and .html.
 */
@Timeout(540)
class CrashMatrixTest {
    @Test
    void shouldEndInOneWayWhateverIsKilledAtWhateverStep() throws Exception {
        List<List<String>> found = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        for (Step step : Step.values()) {
            for (CrashCell.Victim victim : CrashCell.Victim.values()) {
                boolean sensible = victim != CrashCell.Victim.AGENT || step.hasAgent;
                if (!sensible || (step == Step.ASKED_LATE && victim != CrashCell.Victim.GATEWAY)) {
                    continue;
                }
                try (CrashCell cell = new CrashCell(step, victim)) {
                    found.add(cell.run());
                } catch (AssertionError | Exception e) {
                    failed.add(step + " x " + victim + ": " + e);
                    found.add(List.of(step.says, victim.name(), "FAILED", String.valueOf(e.getMessage()), "", ""));
                }
            }
        }
        CrashReport.write(found);
        assertEquals(List.of(), failed);
    }
}
