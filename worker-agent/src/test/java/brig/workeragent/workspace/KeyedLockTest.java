package brig.workeragent.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class KeyedLockTest {
    private final KeyedLock turns = new KeyedLock();
    private final CountDownLatch held = new CountDownLatch(1);

    private CompletableFuture<String> hold(String thing) {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> done = CompletableFuture.supplyAsync(
                () -> turns.take(thing, () -> {
                    begun.countDown();
                    try {
                        held.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    return thing;
                }),
                Thread::startVirtualThread);
        if (thing.equals("slow")) {
            try {
                begun.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        return done;
    }

    @Test
    void shouldLetNobodyWaitForAnotherThing() {
        CompletableFuture<String> slow = hold("slow");
        assertEquals("mine", turns.take("quick", () -> "mine"));
        held.countDown();
        assertEquals("slow", slow.join());
    }

    /** Scenario: one works and hangs, three wait; the fifth is told so at once. */
    @Test
    void shouldRefuseWhoWouldWaitBehindTooMany() throws Exception {
        CompletableFuture<String> slow = hold("slow");
        List<CompletableFuture<String>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            CompletableFuture<String> one = new CompletableFuture<>();
            waiting.add(one);
            Thread thread = Thread.ofPlatform().daemon().start(() -> one.complete(turns.take("slow", () -> "turn")));
            while (thread.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
        }
        assertEquals(
                ErrorCode.QUEUE_FULL,
                assertThrows(BrigException.class, () -> turns.take("slow", () -> "late"))
                        .code());
        held.countDown();
        slow.join();
        for (CompletableFuture<String> one : waiting) {
            assertEquals("turn", one.join());
        }
        assertEquals("again", turns.take("slow", () -> "again"));
    }
}
