package brig.workeragent.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.protocol.wire.LineDecoder;
import brig.workeragent.pump.Outbox;
import brig.workeragent.pump.WaitingReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Follows an outbox as the gateway would, frame by frame. */
final class FrameTail {
    private final BlockingQueue<Map<String, Object>> frames = new LinkedBlockingQueue<>();
    private long lastSeq;

    FrameTail(Outbox outbox) {
        WaitingReader reader = WaitingReader.open(outbox, 1);
        LineDecoder decoder = new LineDecoder(1 << 17, new LineDecoder.Sink() {
            @Override
            public void handleLine(byte[] bytes, int offset, int length) {
                frames.add(Json.parseObject(bytes, offset, length));
            }

            @Override
            public void handleBadLine(ErrorCode code) {
                throw new AssertionError(code);
            }
        });
        Thread.ofVirtual().start(() -> {
            try {
                for (List<ByteBuffer> batch = reader.take(); !batch.isEmpty(); batch = reader.take()) {
                    batch.forEach(buffer -> {
                        byte[] bytes = new byte[buffer.remaining()];
                        buffer.get(bytes);
                        decoder.decode(bytes, 0, bytes.length);
                    });
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** The next frame that is not about a message's way, as {@link #nextOfAll}. */
    String next() throws InterruptedException {
        String frame = nextOfAll();
        while (frame.startsWith("{type=message,") || frame.startsWith("{type=accepted,")) {
            frame = nextOfAll();
        }
        return frame;
    }

    /** The next frame without its number and time, as text. */
    String nextOfAll() throws InterruptedException {
        Map<String, Object> frame = frames.poll(20, TimeUnit.SECONDS);
        if (frame == null) {
            throw new AssertionError("no frame came");
        }
        assertEquals(++lastSeq, frame.remove("seq"));
        frame.remove("ts");
        return frame.toString();
    }

    boolean isEmpty() {
        return frames.isEmpty();
    }
}
