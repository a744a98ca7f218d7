package brig.workeragent.egress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EgressThreadTest {
    private final EgressThread thread = new EgressThread(10_000);

    @AfterEach
    void close() {
        thread.close();
    }

    private static BrigException refusal(EgressThread of, EgressThread.Task<String> task) {
        return assertThrows(BrigException.class, () -> of.call(task));
    }

    @Test
    void shouldGiveBackWhatATaskGivesOrRefuses() {
        assertEquals("brig-egress", thread.call(() -> Thread.currentThread().getName()));
        BrigException own = refusal(thread, () -> {
            throw new BrigException(ErrorCode.NOT_FOUND, "no worker");
        });
        assertEquals(ErrorCode.NOT_FOUND, own.code());
        BrigException other = refusal(thread, () -> {
            throw new IOException("it does not start");
        });
        assertEquals(ErrorCode.SANDBOX_UNAVAILABLE, other.code());
        assertEquals("brig-egress cannot be used: java.io.IOException: it does not start", other.getMessage());
    }

    @Test
    void shouldNotWaitForLongerThanItMay() {
        EgressThread impatient = new EgressThread(1);
        CountDownLatch over = new CountDownLatch(1);
        BrigException refusal = refusal(impatient, () -> {
            over.await();
            return "";
        });
        over.countDown();
        assertEquals("brig-egress cannot be used: it does not answer", refusal.getMessage());
        impatient.close();
    }

    @Test
    void shouldRunTasksInTheirOrderAndNoneAfterItsEnd() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        thread.later(done::countDown, 1);
        assertTrue(done.await(10, TimeUnit.SECONDS));
        thread.close();
        assertEquals(ErrorCode.SHUTTING_DOWN, refusal(thread, () -> "").code());
        thread.later(
                () -> {
                    throw new AssertionError("ended");
                },
                0);
    }

    @Test
    void shouldHaveLetGoOfItsFilesWhenItIsClosed() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        AtomicBoolean over = new AtomicBoolean();
        thread.later(
                () -> {
                    running.countDown();
                    for (int i = 0; i < 1_000; i++) {
                        Thread.yield();
                    }
                    over.set(true);
                },
                0);
        running.await();
        thread.close();
        assertTrue(over.get());
    }
}
