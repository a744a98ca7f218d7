package brig.gateway.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.HandTimers;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A sandbox that is not up at once. */
class ProvisioningTest {
    private final HandTimers timers = new HandTimers();
    private final List<Long> looksMs = new ArrayList<>();
    private Sandbox.State state = Sandbox.State.PENDING;
    private long nowMs;

    private final Provider provider = (Provider) Proxy.newProxyInstance(
            Provider.class.getClassLoader(), new Class<?>[] {Provider.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("find")) {
                    looksMs.add(nowMs);
                }
                return CompletableFuture.completedStage(new Sandbox("name", "id", state, 0, Map.of()));
            });
    private final CompletableFuture<Sandbox> made = new Provisioning(
                    provider,
                    "cloud",
                    new Provider.Order("name", Map.of(), 60_000, true),
                    new Provisioning.Services(timers, () -> nowMs, bound -> 0),
                    new Provisioning.Waiter(() -> false, doubt -> {}))
            .begin()
            .toCompletableFuture();

    private void pass(long ms) {
        for (long left = ms; left > 0; left--) {
            nowMs++;
            timers.pass(1);
        }
    }

    @Test
    void shouldLookSoonAndThenLessOften() {
        pass(5_000);
        assertEquals(List.of(100L, 300L, 700L, 1_500L, 2_500L, 3_500L, 4_500L), looksMs);
        state = Sandbox.State.RUNNING;
        assertFalse(made.isDone());
        pass(500);
        assertTrue(made.isDone());
    }

    @Test
    void shouldGiveItUpWhenItDoesNotStart() {
        pass(Provisioning.START_MS);
        assertFalse(made.isDone());
        pass(1_000);
        assertTrue(made.isCompletedExceptionally());
    }
}
