package brig.gateway.provider.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.provider.Backoff;
import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.ProviderFailure.Kind;
import brig.gateway.time.HandTimers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class RetriesTest {
    private final HandTimers timers = new HandTimers();
    private final Queue<ProviderFailure> failures = new ArrayDeque<>();
    private final List<Long> attemptsMs = new ArrayList<>();
    private long nowMs;

    private CompletionStage<String> attempt() {
        attemptsMs.add(nowMs);
        ProviderFailure next = failures.poll();
        return next == null ? CompletableFuture.completedStage("done") : CompletableFuture.failedStage(next);
    }

    private CompletableFuture<String> run(long seed) {
        return new Retries(timers, () -> nowMs, new Random(seed)::nextLong)
                .run(this::attempt)
                .toCompletableFuture();
    }

    private void pass(long ms) {
        for (long passed = 0; passed < ms; passed++) {
            nowMs++;
            timers.pass(1);
        }
    }

    private void fail(int times, Kind kind, long retryAfterMs) {
        for (int time = 0; time < times; time++) {
            failures.add(new ProviderFailure(kind, "number " + failures.size(), retryAfterMs));
        }
    }

    private static Kind kind(CompletableFuture<String> result) {
        assertTrue(result.isDone(), "it waits");
        CompletionException failure = assertThrows(CompletionException.class, result::join);
        return ((ProviderFailure) failure.getCause()).kind();
    }

    @Test
    void shouldTryAgainUntilItWorks() {
        failures.add(new ProviderFailure(Kind.LOST, "one"));
        failures.add(new ProviderFailure(Kind.UNREACHED, "two"));
        failures.add(new ProviderFailure(Kind.LIMITED, "three"));
        CompletableFuture<String> result = run(1);
        pass(Retries.BUDGET_MS);
        assertEquals("done", result.getNow("not done"));
        assertEquals(4, attemptsMs.size());
    }

    @Test
    void shouldWaitARandomPartOfATimeThatDoubles() {
        for (long seed = 0; seed < 200; seed++) {
            attemptsMs.clear();
            failures.clear();
            fail(Retries.ATTEMPTS_MAX - 1, Kind.LOST, 0);
            CompletableFuture<String> result = run(seed);
            pass(Retries.BUDGET_MS);
            assertEquals("done", result.getNow("not done"));
            for (int number = 1; number < attemptsMs.size(); number++) {
                long waited = attemptsMs.get(number) - attemptsMs.get(number - 1);
                assertTrue(waited >= 1 && waited <= Backoff.FIRST_MS << (number - 1), "waited " + waited);
            }
        }
    }

    @Test
    void shouldEndAfterSoManyAttempts() {
        fail(100, Kind.UNREACHED, 0);
        CompletableFuture<String> result = run(1);
        pass(Retries.BUDGET_MS);
        assertEquals(Kind.UNREACHED, kind(result));
        assertEquals(Retries.ATTEMPTS_MAX, attemptsMs.size());
        assertTrue(timers.isIdle());
    }

    @Test
    void shouldNotRepeatWhatIsRefused() {
        for (Kind kind : List.of(Kind.REFUSED, Kind.UNTRUSTED)) {
            attemptsMs.clear();
            failures.clear();
            fail(1, kind, 0);
            assertEquals(kind, kind(run(1)));
            assertEquals(1, attemptsMs.size());
        }
    }

    @Test
    void shouldWaitAsLongAsTheProviderWants() {
        fail(1, Kind.LIMITED, 5_000);
        CompletableFuture<String> result = run(1);
        pass(5_000);
        assertFalse(result.isDone());
        pass(Backoff.FIRST_MS);
        assertEquals("done", result.getNow("not done"));
    }

    @Test
    void shouldEndWhereTheWaitIsLongerThanTheBudget() {
        fail(1, Kind.LIMITED, Retries.BUDGET_MS + 1);
        assertEquals(Kind.LIMITED, kind(run(1)));
        assertEquals(1, attemptsMs.size());
    }
}
