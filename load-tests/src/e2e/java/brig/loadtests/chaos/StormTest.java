package brig.loadtests.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.loadtests.conformance.Product;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A short storm; {@code load-tests chaos} is the long one. */
@Timeout(240)
class StormTest {
    private static final long SECONDS = 15;

    private static Map<String, Object> run(Product product, List<Storm.Fault> faults) throws Exception {
        Storm.Outcome outcome = new Storm(product, new Storm.Plan(4, 4, SECONDS, 1, faults), line -> {}).run();
        assertTrue(outcome.isWell(), () -> outcome.toMap().toString());
        return outcome.toMap();
    }

    @Test
    void shouldLoseDoubleAndHideNothingWhenPartsAreKilled() throws Exception {
        try (Product product = Product.patient()) {
            Map<String, Object> seen =
                    run(product, List.of(Storm.Fault.GATEWAY, Storm.Fault.WORKER_AGENT, Storm.Fault.BOTH));
            assertTrue((Long) seen.get("sessions") > 0 && (Long) seen.get("connections") > 16, seen::toString);
            assertTrue((Integer) seen.get("gateway") >= 1 && (Integer) seen.get("both") >= 1, seen::toString);
            assertTrue(
                    (Long) seen.get("messages_run") > 0 && (Long) seen.get("messages_sent_again") > 0, seen::toString);
        }
    }

    @Test
    void shouldTellOfEveryFrameThatADiskDidNotTake() throws Exception {
        Assumptions.assumeTrue(Product.mayMount(), "a mount namespace needs root");
        try (Product product = Product.onSmallDisk()) {
            Map<String, Object> seen =
                    run(product, List.of(Storm.Fault.FULL_DISK, Storm.Fault.READ_ONLY, Storm.Fault.GATEWAY));
            assertEquals(0L, seen.get("untold"));
        }
    }
}
