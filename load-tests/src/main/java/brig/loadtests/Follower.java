package brig.loadtests;

import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.LineDecoder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Follows one stream, as lines or as server-sent events, and checks that nothing is lost silently: every number follows
 * the previous one or the end of a gap. One thread reads; any thread may read the counts.
 */
final class Follower implements LineDecoder.Sink {
    private static final byte[] CHUNK = "{\"type\":\"chunk\",\"seq\":".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DATA = "data: ".getBytes(StandardCharsets.US_ASCII);

    private final InputStream input;
    private final LineDecoder decoder = new LineDecoder(Limits.FRAME_BYTES_MAX + DATA.length, this);
    private final byte[] buffer = new byte[256 * 1024];
    private final List<String> notices = new CopyOnWriteArrayList<>();
    // Written by the reading thread alone.
    private volatile long frames;
    private volatile long bytes;
    private volatile long next = 1;
    private volatile long missing;
    private volatile boolean ended;
    private volatile @Nullable String fault;

    Follower(InputStream input) {
        this.input = input;
    }

    /** Reads until that many bytes came, the stream ended, or there is a fault. */
    Follower read(long bytesMax) throws IOException {
        while (!ended && fault == null && bytes < bytesMax) {
            int count = input.read(buffer);
            if (count < 0) {
                fault = "the connection was cut behind frame " + (next - 1);
            } else {
                count(count);
                decoder.decode(buffer, 0, count);
            }
        }
        return this;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void count(int more) {
        bytes += more;
    }

    @Override
    public void handleLine(byte[] line, int offset, int length) {
        boolean event = startsWith(line, offset, length, DATA);
        int start = event ? offset + DATA.length : offset;
        int rest = event ? length - DATA.length : length;
        if (startsWith(line, start, rest, CHUNK)) {
            handleFrame(number(line, start + CHUNK.length));
        } else if (rest > 0 && line[start] == '{') {
            handleMessage(JsonObject.read(line, start, rest));
        }
    }

    private static boolean startsWith(byte[] line, int offset, int length, byte[] prefix) {
        return length >= prefix.length && Arrays.equals(line, offset, offset + prefix.length, prefix, 0, prefix.length);
    }

    private static long number(byte[] line, int offset) {
        long number = 0;
        for (int at = offset; line[at] >= '0' && line[at] <= '9'; at++) {
            number = 10 * number + line[at] - '0';
        }
        return number;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void handleFrame(long seq) {
        if (seq != next && fault == null) {
            fault = "frame " + seq + " came where " + next + " was due, and nothing was said";
        }
        next = seq + 1;
        frames++;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void handleMessage(JsonObject message) {
        if (message.has("seq")) {
            NumberedFrame frame = message.as(NumberedFrame.class);
            handleFrame(frame.seq());
            ended = frame.frame() instanceof Frame.State state && state.isTerminated();
            return;
        }
        switch (message.as(ConnectionLine.class)) {
            case ConnectionLine.Gap gap -> {
                notices.add("gap " + gap.from() + "-" + gap.to() + " " + gap.reason());
                missing += gap.to() + 1 - next;
                next = gap.to() + 1;
            }
            case ConnectionLine.Refused refused -> notices.add(refused.code() + ": " + refused.error());
            case ConnectionLine.Authenticated _,
                    ConnectionLine.Answer _,
                    ConnectionLine.Pong _,
                    ConnectionLine.Session _,
                    ConnectionLine.State _,
                    ConnectionLine.Presence _ -> {}
        }
    }

    @Override
    public void handleBadLine(ErrorCode code) {
        fault = "a line was refused: " + code;
    }

    /** Lines that are not frames: gaps and notices. */
    List<String> notices() {
        return notices;
    }

    long frames() {
        return frames;
    }

    long bytes() {
        return bytes;
    }

    /** The number of the next frame. */
    long next() {
        return next;
    }

    long missing() {
        return missing;
    }

    @Nullable
    String fault() {
        return fault;
    }
}
