package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** What every {@link StreamArchive} keeps to. */
public abstract class StreamArchiveContract {
    protected final Loop disk = new Loop();
    protected final Loop loop = new Loop();

    /** A new archive that holds nothing, and at least a mebibyte. */
    protected abstract StreamArchive open(Executor diskThread, Executor eventLoop);

    protected void settle() {
        Loop.runAll(loop, disk);
    }

    protected CompletionStage<Void> append(StreamArchive archive, long first, long last) {
        return append(archive, first, last, Frames.frames(first, last));
    }

    protected CompletionStage<Void> append(StreamArchive archive, long first, long last, String lines) {
        ByteBuf bytes = Unpooled.copiedBuffer(lines, StandardCharsets.UTF_8);
        CompletionStage<Void> stored = archive.append(first, last, bytes);
        settle();
        assertEquals(0, bytes.refCnt(), "the buffer is given up, stored or not");
        return stored;
    }

    protected StreamArchive.Stored read(StreamArchive archive, long from, int bytes) {
        CompletionStage<StreamArchive.Stored> stored = archive.read(from, bytes);
        settle();
        return stored.toCompletableFuture().join();
    }

    protected static String text(StreamArchive.Stored stored) {
        return new String(stored.lines(), StandardCharsets.UTF_8);
    }

    @Test
    void shouldHoldNothingWhenItIsNew() {
        StreamArchive archive = open(disk, loop);
        settle();
        assertEquals(Long.MAX_VALUE, archive.firstSeq());
        StreamArchive.Stored stored = read(archive, 1, 1000);
        assertEquals(0, stored.lines().length);
    }

    @Test
    void shouldCompleteOnTheEventLoopWhenTheDiskIsDone() {
        StreamArchive archive = open(disk, loop);
        settle();
        List<String> order = new ArrayList<>();
        var _ = archive.append(1, 1, Unpooled.copiedBuffer(Frames.frame(1), StandardCharsets.UTF_8))
                .whenComplete((nothing, failure) -> order.add("appended"));
        var _ = archive.read(1, 1000)
                .whenComplete(
                        (stored, failure) -> order.add("read " + text(stored).length()));
        var _ = archive.close().whenComplete((nothing, failure) -> order.add("closed"));
        assertEquals(List.of(), order, "calls return at once");
        disk.run();
        assertEquals(List.of(), order, "the disk's thread completes nothing by itself");
        loop.run();
        assertEquals(List.of("appended", "read " + Frames.frame(1).length(), "closed"), order);
    }

    @Test
    void shouldGiveBackWhatWasWrittenFromEveryFrameWhateverTheSizeOfThePiece() {
        StreamArchive archive = open(disk, loop);
        append(archive, 1, 3);
        append(archive, 4, 4);
        append(archive, 5, 11);
        for (long from = 1; from <= 11; from++) {
            assertEquals(Frames.frames(from, 11), text(read(archive, from, 1 << 20)));
            for (int bytes = 1; bytes <= 200; bytes += 7) {
                StreamArchive.Stored stored = read(archive, from, bytes);
                assertEquals(from, stored.firstSeq());
                String text = text(stored);
                assertTrue(text.startsWith(Frames.frame(from)), "at least one line");
                assertTrue(Frames.frames(from, 11).startsWith(text) && text.endsWith("\n"), "whole lines");
            }
        }
    }

    @Test
    void shouldReadNothingWhenAskedBehindItsEnd() {
        StreamArchive archive = open(disk, loop);
        append(archive, 1, 3);
        assertEquals(0, read(archive, 4, 1000).lines().length);
        assertEquals(0, read(archive, 4711, 1000).lines().length);
        assertEquals(1, archive.firstSeq());
    }

    @Test
    void shouldReadFromTheFirstFrameThatItHasWhenOlderOnesAreMissing() {
        StreamArchive archive = open(disk, loop);
        append(archive, 40, 42);
        assertEquals(40, archive.firstSeq());
        for (long from : new long[] {1, 39, 40}) {
            StreamArchive.Stored stored = read(archive, from, 1000);
            assertEquals(40, stored.firstSeq());
            assertEquals(Frames.frames(40, 42), text(stored));
        }
    }

    @Test
    void shouldShowAGapWhenFramesInTheMiddleWereNeverWritten() {
        StreamArchive archive = open(disk, loop);
        append(archive, 1, 3);
        append(archive, 7, 9);
        assertEquals(
                Frames.frames(2, 3), text(read(archive, 2, 1 << 20)), "no line behind the gap under a wrong number");
        for (long from = 4; from <= 7; from++) {
            StreamArchive.Stored stored = read(archive, from, 1 << 20);
            assertEquals(7, stored.firstSeq());
            assertEquals(Frames.frames(7, 9), text(stored));
        }
    }

    @Test
    void shouldStillReadWhenItIsClosed() {
        StreamArchive archive = open(disk, loop);
        append(archive, 1, 3);
        CompletionStage<Void> closed = archive.close();
        settle();
        assertFalse(closed.toCompletableFuture().isCompletedExceptionally());
        assertEquals(Frames.frames(2, 3), text(read(archive, 2, 1000)));
    }

    @Test
    void shouldTakeFramesThatAreLargerThanAPiece() {
        StreamArchive archive = open(disk, loop);
        String big = Frames.frame(2, 64 * 1024);
        append(archive, 1, 3, Frames.frame(1) + big + Frames.frame(3));
        assertTrue(text(read(archive, 2, 1000)).startsWith(big));
        assertEquals(Frames.frame(3), text(read(archive, 3, 1000)));
    }
}
