package brig.workeragent.pump;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.Frames;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Chunk.Channel;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import brig.workeragent.pump.Outbox.Readiness;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutboxTest {
    private static byte[] body(String content) {
        return Frames.body(1, new Frame.Chunk(null, null, Channel.STDOUT, content));
    }

    private static void chunk(Outbox outbox, String content) {
        byte[] body = body(content);
        outbox.append(FrameType.CHUNK, body, body.length);
    }

    private static byte[] bytes(List<ByteBuffer> batch) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (ByteBuffer buffer : batch) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            out.writeBytes(bytes);
        }
        return out.toByteArray();
    }

    private static List<Long> seqs(byte[] bytes) {
        List<Long> seqs = new ArrayList<>();
        FrameDecoder decoder = new FrameDecoder(new FrameDecoder.Sink() {
            @Override
            public void handleFrame(FrameType type, long seq, byte[] line, int offset, int length) {
                seqs.add(seq);
            }

            @Override
            public void handleBadFrame(ErrorCode code) {
                throw new AssertionError(code);
            }
        });
        decoder.decode(bytes, 0, bytes.length);
        return seqs;
    }

    @Test
    void shouldPutTypeAndNumberFirstWhenFrameIsAppended() throws Exception {
        Outbox outbox = new Outbox(1000);
        outbox.appendNow(FrameType.STATE, Frames.body(5, new Frame.State(Frame.State.RUNNING, null)));
        chunk(outbox, "a");
        assertEquals("""
                {"type":"state","seq":1,"ts":5,"state":"running"}
                {"type":"chunk","seq":2,"ts":1,"stream":"stdout","content":"a"}
                """, new String(bytes(WaitingReader.open(outbox, 1).take()), UTF_8));
    }

    @Test
    void shouldSendAgainFromAskedFrameWhenReaderResumes() throws Exception {
        Outbox outbox = new Outbox(1 << 20);
        for (int i = 1; i <= 100; i++) {
            chunk(outbox, "x".repeat(i));
        }
        for (long acked = 10; acked < 30; acked++) {
            outbox.ack(acked);
            assertEquals(
                    acked + 1, seqs(bytes(WaitingReader.open(outbox, 3).take())).get(0));
        }
        assertEquals(57, seqs(bytes(WaitingReader.open(outbox, 57).take())).get(0));
        WaitingReader atEnd = WaitingReader.open(outbox, 101);
        chunk(outbox, "next");
        assertEquals(List.of(101L), seqs(bytes(atEnd.take())));
    }

    @Test
    void shouldHoldOutputBackUntilAcknowledged() {
        // Scenario: the outbox is full: output waits, while done does not; an ack frees it.
        Outbox outbox = new Outbox(100);
        AtomicInteger again = new AtomicInteger();
        Runnable told = again::incrementAndGet;
        assertEquals(Readiness.NOW, outbox.readiness(told));
        chunk(outbox, "x".repeat(200));
        assertEquals(Readiness.LATER, outbox.readiness(told));
        assertEquals(Readiness.LATER, outbox.readiness(told));
        outbox.appendNow(FrameType.DONE, Frames.body(1, new Frame.Done(0, null, null, null)));
        assertEquals(2, outbox.lastSeq());
        assertEquals(0, again.get());
        outbox.ack(2);
        assertEquals(1, again.get());
        assertEquals(Readiness.NOW, outbox.readiness(told));
        outbox.ack(2);
        assertEquals(1, again.get());
    }

    @Test
    void shouldLetEverythingPassWhenGateIsOpen() {
        Outbox outbox = new Outbox(10);
        chunk(outbox, "x".repeat(100));
        AtomicInteger again = new AtomicInteger();
        assertEquals(Readiness.LATER, outbox.readiness(again::incrementAndGet));
        outbox.openGate();
        assertEquals(1, again.get());
        assertEquals(Readiness.NOW, outbox.readiness(again::incrementAndGet));
    }

    @Test
    void shouldLetOutputCollectWhenReaderIsFarBehind() throws Exception {
        // Scenario: over half full with unsent frames, the pipe is not read until the reader took what is
        // there.
        Outbox outbox = new Outbox(1000);
        AtomicInteger again = new AtomicInteger();
        chunk(outbox, "x".repeat(600));
        try (WaitingReader reader = WaitingReader.open(outbox, 1)) {
            assertEquals(Readiness.SOON, outbox.readiness(again::incrementAndGet));
            assertFalse(reader.take().isEmpty());
            assertEquals(1, again.get());
            assertEquals(Readiness.NOW, outbox.readiness(again::incrementAndGet));
            chunk(outbox, "y");
            assertEquals(Readiness.SOON, outbox.readiness(again::incrementAndGet));
        }
        assertEquals(2, again.get());
    }

    @Test
    void shouldTellOfTheFramesOfAReadTogether() throws Exception {
        Outbox outbox = new Outbox(1 << 20);
        AtomicInteger news = new AtomicInteger();
        Outbox.Reader reader = outbox.open(1, new Outbox.Follower() {
            @Override
            public void handleNews(Outbox.Reader of) {
                news.incrementAndGet();
            }

            @Override
            public void handleEnd() {}
        });
        chunk(outbox, "a");
        assertEquals(1, news.get());
        outbox.hold();
        chunk(outbox, "b");
        outbox.appendNow(FrameType.DONE, Frames.body(1, new Frame.Done(0, null, null, null)));
        assertEquals(1, news.get());
        outbox.flush();
        assertEquals(2, news.get());
        assertEquals(List.of(1L, 2L, 3L), seqs(bytes(reader.poll())));
        outbox.hold();
        outbox.flush();
        assertEquals(2, news.get());
    }

    @Test
    void shouldEndEarlierReaderWhenAnotherOpens() throws Exception {
        Outbox outbox = new Outbox(1000);
        AtomicInteger ended = new AtomicInteger();
        WaitingReader first = WaitingReader.open(outbox, 1, ended::incrementAndGet);
        CompletableFuture<List<ByteBuffer>> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return first.take();
            } catch (InterruptedException | IOException e) {
                throw new IllegalStateException(e);
            }
        });
        WaitingReader second = WaitingReader.open(outbox, 1);
        assertTrue(waiting.get(20, TimeUnit.SECONDS).isEmpty());
        chunk(outbox, "a");
        assertEquals(List.of(1L), seqs(bytes(second.take())));
        assertTrue(first.take().isEmpty());
        assertEquals(1, ended.get());
        first.close();
        assertEquals(1, ended.get());
    }

    @Test
    void shouldEndTheReaderAndRefuseLaterOnesWhenClosed() throws Exception {
        Outbox outbox = new Outbox(1000);
        AtomicInteger ended = new AtomicInteger();
        WaitingReader reader = WaitingReader.open(outbox, 1, ended::incrementAndGet);
        outbox.close();
        assertEquals(1, ended.get());
        assertTrue(reader.take().isEmpty());
        BrigException refusal = assertThrows(BrigException.class, () -> WaitingReader.open(outbox, 1));
        assertEquals(ErrorCode.SESSION_ENDED, refusal.code());
    }

    @Test
    void shouldSayDrainedWhenLastFrameIsAcknowledged() throws Exception {
        Outbox outbox = new Outbox(1000);
        chunk(outbox, "a");
        assertFalse(outbox.ack(1));
        outbox.appendLast(FrameType.STATE, Frames.body(1, new Frame.State(Frame.State.TERMINATED, null)));
        assertFalse(outbox.ack(1));
        assertTrue(outbox.ack(2));
        assertEquals(0, outbox.memoryBytes());
        assertThrows(IllegalStateException.class, () -> chunk(outbox, "too late"));
    }

    @Test
    void shouldRefuseWhenFrameDoesNotExistYet() {
        Outbox outbox = new Outbox(1000);
        assertThrows(BrigException.class, () -> outbox.ack(1));
        assertThrows(BrigException.class, () -> WaitingReader.open(outbox, 2));
    }

    @Test
    void shouldKeepEveryFrameInOrderWhenReadersComeAndGo() throws Exception {
        // Scenario: any order of appends, batches, acks and dropped connections, against a model that is a
        // counter.
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Outbox outbox = new Outbox(Long.MAX_VALUE);
        long appended = 0;
        long seen = 0;
        long acked = 0;
        WaitingReader reader = WaitingReader.open(outbox, 1);
        for (int step = 0; step < 20_000; step++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    chunk(outbox, "c".repeat(random.nextInt(random.nextInt(20) == 0 ? 60_000 : 200)));
                    appended++;
                }
                case 3, 4 -> {
                    if (seen < appended) {
                        for (long seq : seqs(bytes(reader.take()))) {
                            assertEquals(++seen, seq, "seed " + seed);
                        }
                    }
                }
                case 5, 6 -> {
                    acked = acked + (long) (random.nextDouble() * (seen - acked + 1));
                    outbox.ack(Math.min(acked, seen));
                }
                default -> {
                    seen = acked + (long) (random.nextDouble() * (seen - acked + 1));
                    seen = Math.min(seen, appended);
                    reader = WaitingReader.open(outbox, seen + 1);
                }
            }
        }
    }

    /** A frame that fills a segment. */
    private static String big(char c) {
        return String.valueOf(c).repeat(60_000);
    }

    /** Written by another worker: it would overwrite memory that is given back too early. */
    private static void writeElsewhere() {
        Outbox other = new Outbox(1 << 30);
        for (int i = 0; i < 100; i++) {
            chunk(other, big('z'));
        }
    }

    @Test
    void shouldUseTheMemoryOfWrittenFramesAgain() throws Exception {
        Outbox outbox = new Outbox(1 << 20);
        WaitingReader reader = WaitingReader.open(outbox, 1);
        Set<byte[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int seq = 1; seq <= 1000; seq++) {
            chunk(outbox, big('a'));
            reader.take().forEach(buffer -> arrays.add(buffer.array()));
            outbox.ack(seq - 1);
        }
        assertTrue(arrays.size() < 20, arrays.size() + " arrays");
    }

    @Test
    void shouldKeepFramesThatAreBeingWrittenAlthoughTheyAreAcknowledged() throws Exception {
        // Scenario: a gateway acknowledges frames that it cannot have yet.
        Outbox outbox = new Outbox(1 << 20);
        WaitingReader reader = WaitingReader.open(outbox, 1);
        chunk(outbox, big('a'));
        chunk(outbox, big('b'));
        List<ByteBuffer> writing = reader.take();
        byte[] before = bytes(writing.stream().map(ByteBuffer::duplicate).toList());
        chunk(outbox, big('c'));
        outbox.ack(3);
        writeElsewhere();
        assertArrayEquals(before, bytes(writing));
    }

    @Test
    void shouldKeepFramesThatAnEarlierConnectionMayStillWrite() throws Exception {
        // Scenario: a connection hangs in its write while the next one reads and acknowledges the same frames.
        Outbox outbox = new Outbox(1 << 20);
        WaitingReader hangs = WaitingReader.open(outbox, 1);
        chunk(outbox, big('a'));
        chunk(outbox, big('b'));
        List<ByteBuffer> writing = hangs.take();
        byte[] before = bytes(writing.stream().map(ByteBuffer::duplicate).toList());
        WaitingReader next = WaitingReader.open(outbox, 1);
        next.take();
        chunk(outbox, big('c'));
        next.take();
        outbox.ack(2);
        writeElsewhere();
        assertArrayEquals(before, bytes(writing));
    }
}
