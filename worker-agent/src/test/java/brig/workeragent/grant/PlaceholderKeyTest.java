package brig.workeragent.grant;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlaceholderKeyTest {
    @TempDir
    Path folder;

    @Test
    void shouldBeOneForAllWhoAskAtOnceAndForTheNextProcess() throws Exception {
        Path file = folder.resolve("placeholder.key");
        PlaceholderKey key = new PlaceholderKey(file);
        CountDownLatch together = new CountDownLatch(32);
        List<CompletableFuture<byte[]>> asked = IntStream.range(0, 32)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> {
                            together.countDown();
                            await(together);
                            return key.get();
                        },
                        Thread::startVirtualThread))
                .toList();
        for (CompletableFuture<byte[]> one : asked) {
            byte[] got = one.join();
            assertArrayEquals(Files.readAllBytes(file), got);
        }
        assertArrayEquals(key.get(), new PlaceholderKey(file).get());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldSayThatTheKeyCannotBeKept() {
        PlaceholderKey nowhere = new PlaceholderKey(folder.resolve("none/placeholder.key"));
        BrigException refusal = assertThrows(BrigException.class, nowhere::get);
        assertEquals(ErrorCode.RECORD_LOST, refusal.code());
    }
}
