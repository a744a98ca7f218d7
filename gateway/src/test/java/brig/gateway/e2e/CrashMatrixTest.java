package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.gateway.e2e.CrashCell.Victim;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every step of a spawn, and every process that can be killed at it, or both that keep its frames at once. Whatever was killed, the captain repeats its request
 * and asks for the end; then one run of the agent has ended in one way, nothing is left running, and every frame that
 * anybody saw is in the record. The findings are written to build/reports/crash-matrix.txt and .html.
 */
@Timeout(540)
class CrashMatrixTest {
    private final List<List<String>> found = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();

    @Test
    void shouldEndInOneWayWhateverIsKilledAtWhateverStep() throws Exception {
        try {
            playShared();
            playOwn();
        } finally {
            CrashReport.write(found);
        }
        assertEquals(List.of(), failed);
    }

    private void playShared() throws IOException {
        try (CrashSite shared = new CrashSite()) {
            for (Step step : Step.values()) {
                play(shared, step, Victim.GATEWAY);
                if (step.hasAgent) {
                    play(shared, step, Victim.AGENT);
                }
            }
        }
    }

    private void playOwn() throws IOException {
        for (Step step : Step.values()) {
            // What reaches a worker-agent later needs one that lives.
            for (Victim victim : step == Step.ASKED_LATE ? List.<Victim>of() : List.of(Victim.WORKER_AGENT, Victim.BOTH)) {
                try (CrashSite own = new CrashSite()) {
                    play(own, step, victim);
                }
            }
        }
    }

    private void play(CrashSite site, Step step, Victim victim) {
        try {
            found.add(new CrashCell(site, step, victim).run());
        } catch (AssertionError | Exception e) {
            failed.add(step + " x " + victim + ": " + e);
            found.add(List.of(step.says, victim.wireName(), "FAILED: " + e.getMessage(), "", "", ""));
        }
    }
}
