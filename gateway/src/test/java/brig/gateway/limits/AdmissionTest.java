package brig.gateway.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.FakeTime;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.PoolState;
import brig.protocol.spawn.SpawnRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private static final long WAIT_MS = 30_000;

    private final FakeTime time = new FakeTime();
    private final List<String> served = new ArrayList<>();

    private Admission admission(int workersMax, int perCaptain, long cooldownMs, int queueMax) {
        return new Admission(new Admission.Bounds(workersMax, perCaptain, cooldownMs, queueMax), time, time);
    }

    private static CompletableFuture<Lease> enter(Admission admission, String captain) {
        return wait(admission, captain, 0, () -> false);
    }

    private static CompletableFuture<Lease> wait(
            Admission admission, String captain, long waitMs, BooleanSupplier gone) {
        return admission
                .enter(new Admission.Applicant(new SpawnRequest.Asker(captain, false), waitMs, gone))
                .toCompletableFuture();
    }

    /** One that waits, and is written down when its turn comes. */
    private CompletableFuture<Lease> wait(Admission admission, String captain, String name) {
        CompletableFuture<Lease> place = wait(admission, captain, WAIT_MS, () -> false);
        var _ = place.thenRun(() -> served.add(name));
        return place;
    }

    private void queue(Admission admission, String captain, String name) {
        var _ = wait(admission, captain, name);
    }

    private static BrigException refusal(CompletableFuture<Lease> refused) {
        try {
            refused.join();
        } catch (CompletionException e) {
            return (BrigException) e.getCause();
        }
        throw new AssertionError("was let in");
    }

    private void free(Lease lease) {
        lease.close();
        time.pass(1);
    }

    @Test
    void shouldRefuseAtOnceWithAHintWhenNobodyWantsToWait() {
        Admission admission = admission(2, 1, 0, 10);
        enter(admission, "a").join();
        assertEquals(
                ErrorCode.MAX_WORKERS_PER_CAPTAIN,
                refusal(enter(admission, "a")).code());
        enter(admission, "b").join();
        BrigException refusal = refusal(enter(admission, "c"));
        assertEquals(ErrorCode.MAX_WORKERS, refusal.code());
        assertEquals(1, refusal.retryAfterSeconds().orElseThrow());
        assertEquals(2, admission.workers());
        assertEquals(0, time.pending());
    }

    @Test
    void shouldTakeTurnsBetweenCaptainsWhenPlacesBecomeFree() {
        // Scenario: a asks for four before b and c ask for one each; each place goes to the next captain.
        Admission admission = admission(1, 10, 0, 10);
        Lease place = enter(admission, "a").join();
        List<CompletableFuture<Lease>> places = new ArrayList<>();
        List<String> names = List.of("a1", "a2", "a3", "a4", "b1", "c1", "b2");
        for (String name : names) {
            places.add(wait(admission, name.substring(0, 1), name));
        }
        for (int i = 0; i < 7; i++) {
            free(place);
            assertEquals(i + 1, served.size());
            place = places.get(names.indexOf(served.get(i))).join();
        }
        assertEquals(List.of("a1", "b1", "c1", "a2", "b2", "a3", "a4"), served);
        assertEquals(1, admission.workers());
        assertEquals(Map.of(), admission.queue());
        assertEquals(0, time.pending(), "no deadline is left behind");
    }

    @Test
    void shouldNotLetACaptainAtItsLimitHoldUpTheOthers() {
        Admission admission = admission(2, 1, 0, 10);
        Lease a = enter(admission, "a").join();
        Lease b = enter(admission, "b").join();
        queue(admission, "a", "a1");
        queue(admission, "c", "c1");
        free(b);
        assertEquals(List.of("c1"), served);
        free(a);
        assertEquals(List.of("c1", "a1"), served);
    }

    @Test
    void shouldNotLetANewcomerOvertakeWhenAPlaceHasJustBecomeFree() {
        Admission admission = admission(1, 10, 0, 10);
        Lease place = enter(admission, "a").join();
        queue(admission, "b", "b1");
        place.close();
        assertEquals(ErrorCode.MAX_WORKERS, refusal(enter(admission, "c")).code());
        assertEquals(List.of("b1"), served);
    }

    @Test
    void shouldSayThePlaceInTheOrderOfServiceWhenTheWaitIsOver() {
        Admission admission = admission(1, 10, 0, 10);
        enter(admission, "a").join();
        queue(admission, "a", "a1");
        queue(admission, "a", "a2");
        queue(admission, "b", "b1");
        CompletableFuture<Lease> late = wait(admission, "b", 500, () -> false);
        time.pass(499);
        assertFalse(late.isDone());
        time.pass(1);
        BrigException refusal = refusal(late);
        assertEquals(ErrorCode.MAX_WORKERS, refusal.code());
        assertEquals(4, refusal.hints().queuePosition(), "a1, b1, a2, and then this one");
        assertEquals(Map.of("a", 2, "b", 1), admission.queue());
    }

    @Test
    void shouldLeaveItsPlaceInTheQueueWhenTheWaitIsOver() {
        Admission admission = admission(1, 1, 0, 1);
        Lease taken = enter(admission, "a").join();
        CompletableFuture<Lease> first = wait(admission, "b", 1_000, () -> false);
        assertEquals(
                ErrorCode.QUEUE_FULL,
                refusal(wait(admission, "c", 1_000, () -> false)).code());
        time.pass(1_000);
        assertEquals(ErrorCode.MAX_WORKERS, refusal(first).code());
        queue(admission, "c", "c");
        assertEquals(Map.of("c", 1), admission.queue());
        assertTrue(admission.estimateSeconds() > 0);
        free(taken);
        assertEquals(List.of("c"), served);
        assertEquals(0, admission(1, 1, 0, 1).estimateSeconds());
    }

    @Test
    void shouldEstimateByHowFastPlacesBecameFreeLately() {
        Admission admission = admission(1, 10, 0, 10);
        Lease place = enter(admission, "a").join();
        for (int i = 0; i < 40; i++) {
            place.close();
            time.pass(8_000);
            place = enter(admission, "a").join();
        }
        assertEquals(8, admission.estimateSeconds());
        queue(admission, "a", "a1");
        assertEquals(16, refusal(enter(admission, "b")).retryAfterSeconds().orElseThrow());
    }

    @Test
    void shouldRefuseWhenTheQueueIsFullAndTheCaptainThatHasMostFirst() {
        Admission admission = admission(1, 10, 0, 3);
        enter(admission, "x").join();
        CompletableFuture<Lease> first = wait(admission, "a", "a1");
        queue(admission, "a", "a2");
        CompletableFuture<Lease> newest = wait(admission, "a", "a3");
        assertEquals(ErrorCode.QUEUE_FULL, refusal(wait(admission, "a", "a4")).code());
        CompletableFuture<Lease> other = wait(admission, "b", "b1");
        assertEquals(ErrorCode.QUEUE_FULL, refusal(newest).code());
        assertFalse(first.isDone() || other.isDone());
        assertEquals(ErrorCode.QUEUE_FULL, refusal(wait(admission, "b", "b2")).code(), "b would have as many as a");
        assertEquals(Map.of("a", 2, "b", 1), admission.queue());
    }

    @Test
    void shouldPassOverWhoHasGoneAway() {
        Admission admission = admission(1, 10, 0, 10);
        Lease place = enter(admission, "a").join();
        CompletableFuture<Lease> gone = wait(admission, "b", WAIT_MS, () -> true);
        queue(admission, "c", "c1");
        free(place);
        assertTrue(gone.isCompletedExceptionally());
        assertEquals(List.of("c1"), served);
        assertEquals(1, admission.workers());
    }

    @Test
    void shouldWaitForTheEndOfACooldown() {
        Admission admission = admission(9, 9, 2_000, 10);
        enter(admission, "a").join();
        queue(admission, "a", "a1");
        queue(admission, "a", "a2");
        time.pass(1_999);
        assertEquals(List.of(), served);
        time.pass(1);
        assertEquals(List.of("a1"), served);
        time.pass(2_000);
        assertEquals(List.of("a1", "a2"), served);
        assertEquals(0, time.pending());
    }

    @Test
    void shouldKeepWhoWaitsWhenPausedAndServeThemWhenResumed() {
        Admission admission = admission(2, 2, 0, 10);
        admission.pause();
        BrigException refusal = refusal(enter(admission, "a"));
        assertEquals(ErrorCode.POOL_PAUSED, refusal.code());
        assertEquals(10, refusal.retryAfterSeconds().orElseThrow());
        queue(admission, "a", "a1");
        assertEquals(List.of(), served);
        admission.resume();
        assertEquals(List.of("a1"), served);
    }

    @Test
    void shouldRefuseWhoWaitsWhenDrainedOrClosed() {
        Admission admission = admission(1, 2, 0, 10);
        enter(admission, "a").join();
        CompletableFuture<Lease> one = wait(admission, "a", "a1");
        admission.drain();
        assertEquals(ErrorCode.POOL_PAUSED, refusal(one).code());
        assertEquals(ErrorCode.POOL_PAUSED, refusal(wait(admission, "a", "a2")).code());
        admission.resume();
        CompletableFuture<Lease> two = wait(admission, "a", "a3");
        admission.close();
        assertEquals(ErrorCode.SHUTTING_DOWN, refusal(two).code());
        admission.resume();
        assertEquals(PoolState.CLOSED, admission.state(), "it stays closed");
        assertEquals(0, time.pending());
    }

    @Test
    void shouldNeverExceedALimitNorForgetAnybodyWhateverComes() {
        // Scenario: six captains ask, wait, give up and give back at random for two simulated hours.
        Random random = new Random(20261122);
        Admission admission = admission(5, 2, 50, 8);
        Map<String, ArrayDeque<Lease>> held = new HashMap<>();
        int[] answered = new int[1];
        int asked = 0;
        for (int step = 0; step < 20_000; step++) {
            String captain = "c" + random.nextInt(6);
            if (random.nextBoolean()) {
                asked++;
                CompletableFuture<Lease> place = wait(admission, captain, random.nextInt(2_000), () -> false);
                var _ = place.whenComplete((lease, failure) -> {
                    answered[0]++;
                    if (lease != null) {
                        held.computeIfAbsent(captain, key -> new ArrayDeque<>()).add(lease);
                    }
                });
            } else if (held.get(captain) != null && !held.get(captain).isEmpty()) {
                held.get(captain).remove().close();
            }
            time.pass(random.nextInt(700));
            int all = 0;
            for (Map.Entry<String, ArrayDeque<Lease>> each : held.entrySet()) {
                assertTrue(each.getValue().size() <= 2);
                assertEquals(each.getValue().size(), admission.workers(each.getKey()));
                all += each.getValue().size();
            }
            assertEquals(all, admission.workers());
            assertTrue(all <= 5);
        }
        time.pass(10_000);
        assertEquals(asked, answered[0]);
        assertEquals(Map.of(), admission.queue());
        assertEquals(0, time.pending());
    }
}
