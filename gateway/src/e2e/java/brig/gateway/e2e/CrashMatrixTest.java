package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.gateway.e2e.CrashCell.Victim;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every step of a spawn, and every process that can be killed at it, or both that keep its frames at once. Whatever was killed, the captain repeats its request
 * and asks for the end; then one run of the agent has ended in one way, nothing is left running, and every frame that
 * anybody saw is in the record. The findings are written to build/reports/crash-matrix.txt and .html.
 */
@Timeout(540)
@Execution(ExecutionMode.CONCURRENT)
@Order(1)
@Tag("slow")
class CrashMatrixTest {
    private static final List<List<String>> FOUND = new CopyOnWriteArrayList<>();

    private final List<String> failed = new ArrayList<>();

    @AfterAll
    static void report() throws IOException {
        FOUND.sort(Comparator.comparing((List<String> row) -> Arrays.stream(Step.values())
                        .map(step -> step.says)
                        .toList()
                        .indexOf(row.getFirst()))
                .thenComparing(row -> row.get(1)));
        CrashReport.write("crash-matrix", FOUND);
    }

    @Test
    void shouldEndInOneWayWhenTheGatewayOrTheAgentIsKilled() throws IOException {
        try (CrashSite site = new LocalCrashSite()) {
            for (Step step : Step.values()) {
                play(site, step, Victim.GATEWAY);
                if (step.hasAgent) {
                    play(site, step, Victim.AGENT);
                }
            }
        }
        assertEquals(List.of(), failed);
    }

    @ParameterizedTest
    @EnumSource(names = {"WORKER_AGENT", "BOTH"})
    void shouldEndInOneWayWhenTheWorkerAgentIsKilledAloneOrWithTheGateway(Victim victim) throws IOException {
        try (CrashSite site = new LocalCrashSite()) {
            for (Step step : Step.values()) {
                // What reaches a worker-agent later needs one that lives.
                if (step != Step.ASKED_LATE) {
                    play(site, step, victim);
                }
            }
        }
        assertEquals(List.of(), failed);
    }

    private void play(CrashSite site, Step step, Victim victim) {
        try {
            FOUND.add(new CrashCell(site, step, victim).run());
        } catch (AssertionError | Exception e) {
            failed.add(step + " x " + victim + ": " + e);
            FOUND.add(List.of(step.says, victim.wireName(), "FAILED: " + e.getMessage(), "", "", ""));
        }
    }
}
