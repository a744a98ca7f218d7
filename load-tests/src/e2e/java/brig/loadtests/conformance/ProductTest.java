package brig.loadtests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The installed product under the part of the kit that is quick; the command has the rest. */
@Timeout(1200)
@Tag("slow")
class ProductTest {
    private static final Set<String> QUICK = Set.of(
            "order",
            "same-frames",
            "cut",
            "old",
            "future",
            "merged",
            "bad-latency",
            "foreign",
            "query-id",
            "keys",
            "screen",
            "evicted",
            "wrong-token",
            "malformed",
            "next-line",
            "nul",
            "throttled",
            "role",
            "unsubscribe",
            "readers-max",
            "attach",
            "http-unix",
            "workers-max",
            "cooldown",
            "connections-max",
            "record-lost",
            "restart-record",
            "restart-stop");

    @Test
    void shouldKeepProtocolWhenServerIsTheProduct() throws IOException {
        List<Check> checks = Kit.checks().stream()
                .filter(check -> QUICK.contains(check.name()))
                .toList();
        try (Product product = Product.start()) {
            List<String> faults = Kit.run(checks, product.target("shell"), new ProgressLines(null, false, 0)).stream()
                    .filter(result -> result.verdict() != Kit.Verdict.OK)
                    .map(result -> result.check().name() + " over " + result.way() + ": " + result.fault())
                    .toList();
            assertEquals(List.of(), faults);
        }
    }
}
