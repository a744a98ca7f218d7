package brig.gateway.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.telemetry.Counters;
import brig.gateway.time.HandTimers;
import brig.protocol.ErrorCode;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ConnectionWriterTest {
    private static final int QUEUE_BYTES = 1000;
    private static final long SLOW_MS = 5000;
    private static final String FRAME = "f".repeat(400) + "\n";

    private final HandTimers timers = new HandTimers();
    private final Counters counters = new Counters(() -> 0);
    private final StuckChannel channel = new StuckChannel();
    private final ConnectionWriter writer = new ConnectionWriter(
            channel,
            new ConnectionWriter.Bounds(QUEUE_BYTES, SLOW_MS),
            timers,
            counters,
            why -> Unpooled.copiedBuffer("end\n", StandardCharsets.US_ASCII));
    private final StringBuilder written = new StringBuilder();

    /** Writes frames while there is room, and a last word. */
    private final class FakeSink implements ConnectionWriter.Writer {
        @Override
        public void drain() {
            while (writer.isWritable()) {
                write(FRAME);
                writer.flush();
            }
        }

        @Override
        public void leave(ErrorCode why) {
            writer.remove(this);
            write(why + "\n");
        }
    }

    private void write(String text) {
        written.append(text);
        writer.writeBytes(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
    }

    private void fill() {
        FakeSink sink = new FakeSink();
        writer.add(sink);
        sink.drain();
    }

    @Test
    void shouldSayLastWordBehindWholeFramesWhenPeerTakesTooLittle() {
        // Scenario: the peer takes part of a frame and then nothing, past the deadline; later it reads on.
        fill();
        channel.take(250);
        timers.pass(SLOW_MS);
        timers.pass(SLOW_MS / 2);
        channel.take(1_000_000);
        assertEquals(written + "end\n", channel.taken());
        assertTrue(channel.taken().endsWith(FRAME + "SLOW_READER\nend\n"));
        assertTrue(channel.isOutputShutdown());
    }

    @Test
    void shouldNotLeaveWhenPeerTakesHalfInTime() {
        fill();
        timers.pass(SLOW_MS - 1);
        channel.take(QUEUE_BYTES);
        timers.pass(SLOW_MS - 1);
        channel.take(QUEUE_BYTES);
        assertFalse(written.toString().contains("SLOW_READER"));
        assertTrue(channel.isOpen());
    }

    @Test
    void shouldCutWhenPeerDoesNotTakeLastWordEither() {
        fill();
        timers.pass(2 * SLOW_MS - 1);
        assertTrue(channel.isOpen());
        timers.pass(1);
        assertFalse(channel.isOpen());
        assertTrue(timers.isIdle());
    }

    @Test
    void shouldWriteNothingBehindLastWord() {
        fill();
        timers.pass(SLOW_MS);
        writer.writeBytes(Unpooled.copiedBuffer("more", StandardCharsets.US_ASCII));
        channel.take(1_000_000);
        assertTrue(channel.taken().endsWith("SLOW_READER\nend\n"));
        assertFalse(writer.isWritable());
    }

    @Test
    void shouldSayWhyWhenGatewayStops() {
        fill();
        var left = writer.leave(ErrorCode.SHUTTING_DOWN);
        assertFalse(left.isDone());
        channel.take(1_000_000);
        assertTrue(channel.taken().endsWith(FRAME + "SHUTTING_DOWN\nend\n"));
        assertTrue(left.isDone());
    }

    @Test
    void shouldHearNothingBehindLastWord() {
        channel.writeInbound(Unpooled.copiedBuffer("before", StandardCharsets.US_ASCII));
        write(FRAME);
        writer.finish();
        channel.writeInbound(Unpooled.copiedBuffer("after", StandardCharsets.US_ASCII));
        assertEquals(1, channel.inboundMessages().size());
    }

    @Test
    void shouldCutWhenPeerDoesNotTakeEnd() {
        // Scenario: less is queued than counts as slow, the stream ends, and the peer never reads.
        write(FRAME);
        writer.finish();
        timers.pass(SLOW_MS);
        assertFalse(channel.isOpen());
    }

    @Test
    void shouldCloseAtOnceWhenEverythingIsTaken() {
        channel.take(1_000_000);
        write(FRAME);
        writer.finish();
        assertFalse(channel.isOpen());
        assertTrue(timers.isIdle());
    }

    @Test
    void shouldNotHearPeerThatAsksAndDoesNotRead() {
        // Scenario: each thing that the peer says is answered by 10 KB, and it reads nothing of it.
        int heard = 0;
        while (channel.config().isAutoRead() && heard < 100) {
            heard++;
            write("a".repeat(10_000));
            channel.writeInbound(Unpooled.copiedBuffer("more?", StandardCharsets.US_ASCII));
        }
        assertEquals(7, heard);
        writer.flush();
        channel.take(1_000_000);
        assertTrue(channel.config().isAutoRead());
    }
}
