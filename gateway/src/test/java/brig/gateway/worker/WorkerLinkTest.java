package brig.gateway.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.stream.Inlet;
import brig.gateway.stream.Loop;
import brig.gateway.stream.LoopFlush;
import brig.gateway.stream.MemoryArchive;
import brig.gateway.stream.RecordingClock;
import brig.gateway.stream.RetainedBudget;
import brig.gateway.stream.StreamLog;
import brig.gateway.telemetry.Counters;
import brig.protocol.ErrorCode;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import io.netty.buffer.ByteBuf;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WorkerLinkTest {
    private static final int READY_BYTES = 10 * 1024 * 1024;
    private static final int TURN_BYTES_MAX = 64 * 1024;
    private static final int LINE_BYTES = 1024;

    private final Loop loop = new Loop();
    private final StreamLog log = new StreamLog(
            "4h2k9x0c",
            0,
            new MemoryArchive(loop, loop),
            new StreamLog.Services(
                    new LoopFlush(loop),
                    new RetainedBudget(Long.MAX_VALUE),
                    new RecordingClock((delayMs, tick) -> () -> {}),
                    (delayMs, task) -> () -> {},
                    new Counters(System::nanoTime),
                    READY_BYTES,
                    1));

    private final FrameDecoder.Sink others = new FrameDecoder.Sink() {
        @Override
        public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
            log.append(seq, bytes, offset, length);
        }

        @Override
        public void handleBadFrame(ErrorCode code) {
            throw new AssertionError(code);
        }
    };

    /** A worker's frames from one on, of one size. */
    private static byte[] frames() {
        StringBuilder all = new StringBuilder(READY_BYTES);
        for (int seq = 1; all.length() < READY_BYTES; seq++) {
            String head = "{\"type\":\"chunk\",\"seq\":" + seq + ",\"ts\":1,\"stream\":\"stdout\",\"content\":\"";
            all.append(head).append("x".repeat(LINE_BYTES - head.length() - 3)).append("\"}\n");
        }
        return all.toString().getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void shouldReadABoundedPartInATurnWhenAWorkerFloods() {
        // Scenario: 10 MiB are ready, and the socket reads them into the log as Netty's transports do.
        byte[] ready = frames();
        Inlet inlet = new Inlet(log, new Inlet.Shared(), others);
        EmbeddedChannel channel = new EmbeddedChannel();
        var handle = (RecvByteBufAllocator.ExtendedHandle) new WorkerLink.IntoLog(inlet).newHandle();
        for (int taken = 0; taken < ready.length; ) {
            int before = taken;
            handle.reset(channel.config());
            do {
                ByteBuf room = handle.allocate(channel.alloc());
                int count = Math.min(room.writableBytes(), ready.length - taken);
                handle.attemptedBytesRead(room.writableBytes());
                room.writeBytes(ready, taken, count);
                room.release();
                inlet.take(count);
                taken += count;
                handle.lastBytesRead(count);
                handle.incMessagesRead(1);
            } while (handle.continueReading(() -> true) && taken < ready.length);
            int inTurn = taken - before;
            assertTrue(inTurn <= TURN_BYTES_MAX, () -> inTurn + " bytes in a turn");
        }
        assertEquals(ready.length / LINE_BYTES, log.lastSeq());
        channel.close();
    }
}
