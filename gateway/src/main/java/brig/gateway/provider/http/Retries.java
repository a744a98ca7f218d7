package brig.gateway.provider.http;

import brig.gateway.provider.Backoff;
import brig.gateway.provider.ProviderFailure;
import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tries again what may be tried twice: after a random part of a time that doubles, so that many gateways do not come
 * back together, and not before the provider wants. On the event loop.
 */
final class Retries {
    static final int ATTEMPTS_MAX = 5;
    /** From the first attempt to the beginning of the last. */
    static final long BUDGET_MS = 30_000;

    private final Timers timers;
    private final Clock clock;
    private final Backoff.Jitter jitter;

    Retries(Timers timers, Clock clock, Backoff.Jitter jitter) {
        this.timers = timers;
        this.clock = clock;
        this.jitter = jitter;
    }

    <T extends @Nullable Object> CompletionStage<T> run(Supplier<CompletionStage<T>> attempt) {
        CompletableFuture<T> result = new CompletableFuture<>();
        attempt(attempt, result, new Backoff(jitter), 1, clock.nowMs());
        return result;
    }

    private <T extends @Nullable Object> void attempt(
            Supplier<CompletionStage<T>> attempt,
            CompletableFuture<T> result,
            Backoff backoff,
            int number,
            long beganMs) {
        attempt.get().whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
                return;
            }
            ProviderFailure why = ProviderFailure.of(failure);
            long delayMs = backoff.nextMs(why.retryAfterMs());
            if (!helps(why) || number == ATTEMPTS_MAX || clock.nowMs() - beganMs + delayMs > BUDGET_MS) {
                result.completeExceptionally(why);
            } else {
                timers.after(delayMs, () -> attempt(attempt, result, backoff, number + 1, beganMs));
            }
        });
    }

    private static boolean helps(ProviderFailure failure) {
        return switch (failure.kind()) {
            case LIMITED, UNREACHED, LOST -> true;
            case REFUSED, UNTRUSTED -> false;
        };
    }
}
