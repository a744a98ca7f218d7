package brig.gateway.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.stream.GapReason;
import brig.gateway.stream.MemoryArchive;
import brig.gateway.stream.StreamArchive.Stored;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LastFramesTest {
    private static final String DONE = "{\"type\":\"done\",\"seq\":8}\n";
    private static final String TERMINATED = "{\"type\":\"state\",\"seq\":9}\n";

    private final MemoryArchive disk = new MemoryArchive(Runnable::run, Runnable::run);
    private final List<Runnable> later = new ArrayList<>();
    private final List<Throwable> failed = new ArrayList<>();
    private final LastFrames archive = new LastFrames(disk, later::add, failed::add);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void end() {
        archive.keep(8, 9, bytes(DONE + TERMINATED));
    }

    private String read(long fromSeq) {
        Stored stored = archive.read(fromSeq, 1000).toCompletableFuture().join();
        return stored.firstSeq() + " " + new String(stored.lines(), StandardCharsets.UTF_8);
    }

    @Test
    void shouldWriteNothingWhenTheEndIsThere() {
        archive.append(1, 2, Unpooled.wrappedBuffer(bytes("one\ntwo\n")));
        archive.append(8, 9, Unpooled.wrappedBuffer(bytes(DONE + TERMINATED)));
        end();
        assertEquals(4, disk.frames());
        assertEquals("1 one\ntwo\n", read(1));
    }

    @Test
    void shouldWriteTheEndWhenItIsMissing() {
        archive.append(1, 2, Unpooled.wrappedBuffer(bytes("one\ntwo\n")));
        end();
        assertEquals("8 " + DONE + TERMINATED, read(3));
        assertTrue(disk.last().contains("state"));
        assertTrue(disk.isClosed());
    }

    @Test
    void shouldReadTheEndFromMemoryUntilTheDiskTakesIt() {
        disk.setFull(true);
        end();
        assertEquals(0, disk.frames());
        assertEquals("8 " + DONE + TERMINATED, read(1));
        assertEquals("8 " + DONE + TERMINATED, read(8));
        assertEquals("9 " + TERMINATED, read(9));
        assertEquals("10 ", read(10));
        later.removeFirst().run();
        assertEquals(1, later.size(), "it tries again");
        disk.setFull(false);
        later.removeFirst().run();
        assertEquals(2, disk.frames());
        assertEquals("9 " + TERMINATED, read(9));
        assertTrue(later.isEmpty());
    }

    @Test
    void shouldStillSayHowItEndedWhenTheRecordIsGone() {
        archive.append(1, 2, Unpooled.wrappedBuffer(bytes("one\ntwo\n")));
        archive.append(8, 9, Unpooled.wrappedBuffer(bytes(DONE + TERMINATED)));
        end();
        disk.forget(1);
        assertEquals("8 " + DONE + TERMINATED, read(1));
        assertEquals(
                GapReason.RECORD_LOST,
                archive.read(1, 1000).toCompletableFuture().join().missing());
        assertEquals("9 " + TERMINATED, read(9));
        assertEquals("10 ", read(10));
    }

    @Test
    void shouldTellOfEachWriteThatFailed() {
        disk.setFull(true);
        end();
        assertEquals(1, failed.size());
        later.removeFirst().run();
        assertEquals(2, failed.size());
    }
}
