package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.wire.ChunkScanner;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SegmentTest {
    private Segment segment = ofFrames(9, 12);

    private static Segment ofFrames(long first, long last) {
        return Segment.ofLines(
                PooledByteBufAllocator.DEFAULT, "4h2k9x0c", first, Frames.utf8(Frames.frames(first, last)));
    }

    @AfterEach
    void release() {
        segment.release();
    }

    private void use(Segment other) {
        segment.release();
        segment = other;
    }

    private static String text(ByteBuf slice) {
        try {
            return slice.toString(StandardCharsets.UTF_8);
        } finally {
            slice.release();
        }
    }

    @Test
    void shouldCutBatchesWhenTheyFitExactly() {
        int bytes = Frames.frame(9).length() + Frames.frame(10).length();
        FrameBatch exact = segment.batch(9, bytes);
        assertEquals(9, exact.firstSeq());
        assertEquals(10, exact.lastSeq());
        assertEquals(Frames.frames(9, 10), text(exact.lines()));
        assertEquals(9, segment.batch(9, bytes - 1).lastSeq());
        assertEquals(9, segment.batch(9, 1).lastSeq(), "at least one frame");
        assertEquals(12, segment.batch(9, 1 << 20).lastSeq());
        assertEquals(Frames.frames(11, 12), text(segment.batch(11, 1 << 20).lines()));
    }

    @Test
    void shouldWriteEventsByteForByteWhenABrowserReads() {
        assertEquals("""
                id: 4h2k9x0c-10
                data: {"type":"chunk","seq":10,"content":"c10"}

                id: 4h2k9x0c-11
                data: {"type":"chunk","seq":11,"content":"c11"}

                """, text(segment.events(1, 3)));
        // Earlier and later ones, after some are built.
        assertEquals("id: 4h2k9x0c-9\ndata: " + Frames.frame(9) + "\n", text(segment.events(0, 1)));
        assertEquals("id: 4h2k9x0c-12\ndata: " + Frames.frame(12) + "\n", text(segment.events(3, 4)));
    }

    @Test
    void shouldFrameABatchOnceAndKeepNoOtherThanTheNewest() {
        ByteBuf first = segment.framed(Framing.NONE, 0, 2);
        ByteBuf same = segment.framed(Framing.NONE, 0, 2);
        assertEquals(first.memoryAddress(), same.memoryAddress());
        ByteBuf other = segment.framed(Framing.NONE, 1, 2);
        assertEquals(Frames.frame(10), text(other));
        assertEquals(Frames.frames(9, 10), text(first));
        assertEquals(1, same.unwrap().refCnt(), "held by its reader alone");
        assertEquals(Frames.frames(9, 10), text(same));
        segment.forgetFramed();
    }

    @Test
    void shouldHaveRoomForEveryEventWhenFramesAreAsSmallAndNumbersAsLongAsPossible() {
        long first = (1L << 53) - 1 - 100;
        use(new Segment(PooledByteBufAllocator.DEFAULT, "4h2k9x0c", first, 0, 4096));
        int count = 0;
        while (segment.hasRoomFor(3)) {
            segment.append(Frames.utf8("{}\n"), 0, 3);
            count++;
        }
        assertEquals(4096 / 64, count);
        String events = text(segment.events(0, count));
        assertTrue(events.startsWith("id: 4h2k9x0c-" + first + "\ndata: {}\n\n"));
        assertTrue(events.endsWith("id: 4h2k9x0c-" + (first + count - 1) + "\ndata: {}\n\n"));
    }

    @Test
    void shouldKeepSlicesAsTheyAreWhenMoreIsAppended() {
        use(new Segment(PooledByteBufAllocator.DEFAULT, "4h2k9x0c", 1, 0, 4096));
        byte[] one = Frames.utf8(Frames.frame(1));
        segment.append(one, 0, one.length);
        ByteBuf lines = segment.lines(0, 1);
        ByteBuf events = segment.events(0, 1);
        byte[] two = Frames.utf8(Frames.frame(2));
        segment.append(two, 0, two.length);
        ByteBuf more = segment.events(0, 2);

        assertEquals(Frames.frame(1), text(lines));
        assertEquals("id: 4h2k9x0c-1\ndata: " + Frames.frame(1) + "\n", text(events));
        assertTrue(text(more).endsWith(Frames.frame(2) + "\n"));
    }

    @Test
    void shouldBeFullWhenTheBytesAreUsedUp() {
        use(new Segment(PooledByteBufAllocator.DEFAULT, "4h2k9x0c", 1, 0, 100));
        assertTrue(segment.hasRoomFor(100));
        assertFalse(segment.hasRoomFor(101));
        segment.append(Frames.utf8(Frames.frame(1, 60)), 0, 60);
        assertFalse(segment.hasRoomFor(1), "100 bytes are for one frame of 64");
        assertEquals(2, segment.endSeq());
        assertEquals(60, segment.endOffset());
    }

    @Test
    void shouldTakeStoredLinesWhenTheyAreManyAndSmall() {
        use(Segment.ofLines(PooledByteBufAllocator.DEFAULT, "4h2k9x0c", 5, Frames.utf8("{}\n".repeat(1000))));
        assertEquals(1005, segment.endSeq());
        assertTrue(text(segment.events(0, 1000)).endsWith("id: 4h2k9x0c-1004\ndata: {}\n\n"));
    }

    /** A socket reads these. */
    private static void read(Segment into, String text) {
        ByteBuf room = into.room();
        room.writeBytes(Frames.utf8(text));
        into.handleRead(room.readableBytes());
        room.release();
    }

    @Test
    void shouldCountItsUnparsedBytesWhenTheyAreReadAndParsed() {
        use(new Segment(PooledByteBufAllocator.DEFAULT, "4h2k9x0c", 1, 0, 4096));
        String start = Frames.frame(3).substring(0, 12);
        read(segment, Frames.frames(1, 2) + start);
        assertEquals(Frames.frames(1, 2).length() + 12, segment.unparsedBytes());
        assertTrue(segment.hasUnparsedNewline());

        assertEquals(Frames.frames(1, 2).length(), segment.parse(new ChunkScanner()));

        assertEquals(12, segment.unparsedBytes());
        assertFalse(segment.hasUnparsedNewline());
        assertFalse(segment.hasRoomFor(1), "a frame would lie where they do");
        read(segment, Frames.frame(3).substring(12));
        segment.parse(new ChunkScanner());
        assertEquals(0, segment.unparsedBytes());
        assertTrue(segment.hasRoomFor(1));
        assertEquals(Frames.frames(1, 3), text(segment.lines(0, 3)));
    }

    @Test
    void shouldHandOverItsUnparsedBytes() {
        use(new Segment(PooledByteBufAllocator.DEFAULT, "4h2k9x0c", 1, 0, 4096));
        read(segment, Frames.frame(1) + "{\"type\":\"ch");
        segment.parse(new ChunkScanner());
        Segment next = new Segment(PooledByteBufAllocator.DEFAULT, "4h2k9x0c", 2, segment.endOffset(), 4096);
        next.takeUnparsed(segment);
        assertEquals(0, segment.unparsedBytes());
        assertEquals(Frames.frame(1), text(segment.lines(0, 1)));
        use(next);

        read(segment, "unk");
        byte[] taken = new byte[32];
        int length = segment.takeUnparsed(taken);

        assertEquals("{\"type\":\"chunk", new String(taken, 0, length, StandardCharsets.UTF_8));
        assertEquals(0, segment.unparsedBytes());
        assertTrue(segment.isEmpty());
    }

    @Test
    void shouldBeWorthAReadWhileAnEighthIsLeft() {
        use(new Segment(PooledByteBufAllocator.DEFAULT, "4h2k9x0c", 1, 0, 4096));
        segment.append(Frames.utf8(Frames.frame(1, 64)), 0, 64);
        read(segment, "x".repeat(4096 - 64 - 512));
        assertTrue(segment.hasRoomToRead());
        read(segment, "x");
        assertFalse(segment.hasRoomToRead());
        segment.forgetUnparsed();
        assertTrue(segment.hasRoomToRead());
    }
}
