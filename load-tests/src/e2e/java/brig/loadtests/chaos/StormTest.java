package brig.loadtests.chaos;

import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.loadtests.conformance.Product;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A short storm; {@code load-tests chaos} is the long one. */
@Timeout(600)
class StormTest {
    private static final long SECONDS = 15;

    private static StormReport run(Product product, List<Storm.Fault> faults) throws Exception {
        Storm.Outcome outcome = new Storm(product, new Storm.Plan(4, 4, SECONDS, 1, faults), line -> {}).run();
        assertTrue(outcome.isWell(), () -> outcome.report().toString());
        return outcome.report();
    }

    private static boolean isDone(@Nullable Integer times) {
        return times != null && times >= 1;
    }

    @Test
    void shouldLoseDoubleAndHideNothingWhenPartsAreKilled() throws Exception {
        try (Product product = Product.patient()) {
            StormReport seen = run(product, List.of(Storm.Fault.GATEWAY, Storm.Fault.WORKER_AGENT, Storm.Fault.BOTH));
            assertTrue(seen.sessionsCompleted() > 0 && seen.connections() > 16, seen::toString);
            StormReport.Faults faults = seen.faults();
            assertTrue(
                    isDone(faults.gateway()) && isDone(faults.workerAgent()) && isDone(faults.both()), seen::toString);
            assertTrue(seen.messagesRun() > 0 && seen.messagesSentAgain() > 0, seen::toString);
        }
    }

    @Test
    @Tag("slow")
    void shouldTellOfEveryFrameThatADiskDidNotTake() throws Exception {
        Assumptions.assumeTrue(Product.mayMount(), "a mount namespace needs root");
        try (Product product = Product.onSmallDisk()) {
            StormReport seen = run(product, List.of(Storm.Fault.FULL_DISK, Storm.Fault.READ_ONLY, Storm.Fault.GATEWAY));
            StormReport.Faults faults = seen.faults();
            assertTrue(
                    isDone(faults.fullDisk()) && isDone(faults.readOnly()) && isDone(faults.gateway()), seen::toString);
        }
    }
}
