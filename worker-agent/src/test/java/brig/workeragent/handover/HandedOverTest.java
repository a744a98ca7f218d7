package brig.workeragent.handover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a host holds of home. The test decides when time passes. */
@Timeout(60)
class HandedOverTest {
    private static final String ID = "spn_0123456789abcdefghjkmnpq";

    private final Map<Long, List<Runnable>> timers = new HashMap<>();
    private final HandedOver handed = new HandedOver((ms, task) -> {
        synchronized (timers) {
            timers.computeIfAbsent(ms, unused -> new ArrayList<>()).add(task);
            timers.notifyAll();
        }
    });

    private List<Runnable> takeTimers(long ms) throws InterruptedException {
        synchronized (timers) {
            while (!timers.containsKey(ms)) {
                timers.wait();
            }
            return timers.remove(ms);
        }
    }

    private void pass(long ms) throws InterruptedException {
        takeTimers(ms).forEach(Runnable::run);
    }

    private static Handover handover(String value) {
        String json =
                "{'agent':'a','profile':{'description':'d','command':['p']},'usual_model':'','files':false,'policy_name':'p',"
                        + "'policy':{'description':'d','mounts':{'/workspace':{'hostPath':'.','readonly':false}},"
                        + "'environment':[],'privateFiles':[],'egress':{'allowedHosts':['a.test'],'secrets':{'T':{}}}},"
                        + "'secrets':{'T':'" + value + "'}}";
        return Json.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8), Handover.class);
    }

    private CompletableFuture<Handover> waiting() {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return handed.await(ID);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                Thread::startVirtualThread);
    }

    private static ErrorCode refusal(CompletableFuture<Handover> waiting) {
        CompletionException failure = assertThrows(CompletionException.class, waiting::join);
        return ((BrigException) failure.getCause()).code();
    }

    @Test
    void shouldGiveASpawnWhatCameBeforeItOrComesLater() throws InterruptedException {
        handed.take(ID, handover("first-value"));
        assertEquals("first-value", handed.await(ID).secrets().get("T"));
        handed.forget(ID);
        CompletableFuture<Handover> waiting = waiting();
        while (!handed.has(ID)) {
            Thread.onSpinWait();
        }
        handed.take(ID, handover("other-value"));
        assertEquals("other-value", waiting.join().secrets().get("T"));
        assertEquals("other-value", handed.secretsNow(ID).get("T"));
    }

    @Test
    void shouldRefuseASpawnForWhichNothingUsableComes() throws InterruptedException {
        CompletableFuture<Handover> late = waiting();
        pass(HandedOver.WAIT_MS);
        assertEquals(ErrorCode.HOST_UNREACHABLE, refusal(late));
        handed.forget(ID);
        CompletableFuture<Handover> refused = waiting();
        while (!handed.has(ID)) {
            Thread.onSpinWait();
        }
        handed.refuse(ID, BrigException.invalid("policy", "is bad"));
        assertEquals(ErrorCode.INVALID_FIELD, refusal(refused));
    }

    @Test
    void shouldKeepWhatWasUsableWhenWorseComesAndNothingOnceItIsEnded() throws InterruptedException {
        handed.take(ID, handover("first-value"));
        handed.await(ID);
        handed.refuse(ID, BrigException.invalid("policy", "is bad"));
        assertEquals("first-value", handed.secretsNow(ID).get("T"));
        handed.end(ID);
        assertEquals(Map.of(), handed.secretsNow(ID));
        assertEquals(
                ErrorCode.INVALID_POLICY,
                assertThrows(BrigException.class, () -> handed.now(ID)).code());
        handed.take(ID, handover("later-value"));
        assertEquals("later-value", handed.secretsNow(ID).get("T"));
    }

    @Test
    void shouldForgetWhatNoSpawnClaims() throws InterruptedException {
        handed.take(ID, handover("first-value"));
        pass(HandedOver.UNCLAIMED_MS);
        assertFalse(handed.has(ID));
        handed.take(ID, handover("first-value"));
        handed.await(ID);
        pass(HandedOver.UNCLAIMED_MS);
        assertTrue(handed.has(ID));
        handed.forget(ID);
        assertFalse(handed.has(ID));
        assertThrows(BrigException.class, () -> handed.now(ID));
    }

    @Test
    void shouldKeepANewOneWhenTheTimeOfAForgottenOneIsOver() throws InterruptedException {
        handed.take(ID, handover("first-value"));
        List<Runnable> before = takeTimers(HandedOver.UNCLAIMED_MS);
        handed.forget(ID);
        handed.take(ID, handover("later-value"));
        before.forEach(Runnable::run);
        assertEquals("later-value", handed.secretsNow(ID).get("T"));
    }

    @Test
    void shouldHoldNoMoreThanAHostHasWorkers() {
        Handover handover = handover("first-value");
        for (int i = 0; i < HandedOver.ENTRIES_MAX; i++) {
            handed.take("spawn " + i, handover);
        }
        BrigException refusal = assertThrows(BrigException.class, () -> handed.take(ID, handover));
        assertEquals(ErrorCode.MAX_WORKERS, refusal.code());
        handed.take("spawn 0", handover("later-value"));
        assertEquals("later-value", handed.secretsNow("spawn 0").get("T"));
    }

    @Test
    void shouldNotShowValues() {
        assertFalse(handover("first-value").toString().contains("first-value"));
    }
}
