package brig.formats.adapter;

import brig.protocol.frame.Frame;
import brig.protocol.json.Utf8;
import brig.protocol.spawn.TerminalSize;
import brig.protocol.wire.ChunkEncoder;
import brig.protocol.wire.FrameType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Adapter for an agent on a terminal: what the terminal gets are {@code chunk} frames, a size is a {@code tty} frame, and
 * its input are keys. There are no messages and no turns. What the agent writes about itself meanwhile makes the frames that it makes
 * without a terminal.
 *
 * <p>Decisions 0184, 0195.
 *
 * @param size at its start
 * @param followers see what happens at the terminal
 * @param transcripts read what the agent writes about itself; null if that is not known
 */
public record TerminalAdapter(
        TerminalSize size, TerminalFollower.Factory followers, TranscriptReader.@Nullable Factory transcripts)
        implements Adapter {
    private static final OutputReader NO_OUTPUT = new OutputReader() {
        @Override
        public void read(byte[] bytes, int offset, int count, long nowMs) {}

        @Override
        public void finish(long nowMs) {}
    };

    @Override
    public Dialogue open(Context context) {
        OutputReader files =
                transcripts == null ? NO_OUTPUT : new FollowedFiles(context.frames(), context.input(), transcripts);
        return new Terminal(size, followers, context, files);
    }

    @Override
    public boolean hasTurns() {
        return false;
    }

    @Override
    public boolean asks() {
        return false;
    }

    /** One terminal. Output and sizes come from two threads, of which one at a time is served. */
    private static final class Terminal implements Dialogue, Adapter.OutputReader {
        private static final byte[] NOTHING = {};
        private final Context context;
        /** What comes on the other pipe. */
        private final OutputReader files;

        private final ChunkEncoder encoder;
        private final ReentrantLock lock = new ReentrantLock();

        // Guarded by the lock.
        private final TerminalFollower follower;
        private TerminalSize size;
        private boolean begun;
        /** The first bytes of a character that is not complete yet. */
        private byte[] incomplete = NOTHING;

        Terminal(TerminalSize size, TerminalFollower.Factory followers, Context context, OutputReader files) {
            this.context = context;
            this.files = files;
            this.size = size;
            this.encoder =
                    new ChunkEncoder("tty", (bytes, length) -> context.frames().append(FrameType.CHUNK, bytes, length));
            this.follower = followers.follow(
                    size, context.frames(), answer -> context.input().test(TerminalInput.keys(answer)));
        }

        @Override
        public OutputReader reader(Pipe pipe) {
            return pipe == Pipe.STDOUT ? this : files;
        }

        @Override
        public void read(byte[] bytes, int offset, int count, long nowMs) throws InterruptedException {
            lock.lock();
            try {
                begin(nowMs);
                encoder.encode(bytes, offset, count, nowMs);
                follower.handleOutput(text(bytes, offset, count), nowMs);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void finish(long nowMs) throws InterruptedException {
            lock.lock();
            try {
                begin(nowMs);
                encoder.finish(nowMs);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean send(String content) {
            return false;
        }

        @Override
        public boolean keys(String keys) {
            return context.input().test(TerminalInput.keys(keys.getBytes(StandardCharsets.UTF_8)));
        }

        @Override
        public boolean resize(TerminalSize wanted, long nowMs) throws InterruptedException {
            lock.lock();
            try {
                begin(nowMs);
                if (wanted.equals(size)) {
                    return true;
                }
                if (!context.input().test(TerminalInput.size(wanted))) {
                    return false;
                }
                size = wanted;
                tell(nowMs);
                follower.handleSize(wanted, nowMs);
                return true;
            } finally {
                lock.unlock();
            }
        }

        private void begin(long nowMs) throws InterruptedException {
            if (!begun) {
                begun = true;
                tell(nowMs);
            }
        }

        private void tell(long nowMs) throws InterruptedException {
            byte[] body = Frames.body(nowMs, new Frame.Tty(size.cols(), size.rows()));
            context.frames().append(FrameType.TTY, body, body.length);
        }

        /** The whole characters of the output so far, as they are in the frames. */
        private String text(byte[] bytes, int offset, int count) {
            byte[] in = Arrays.copyOf(incomplete, incomplete.length + count);
            System.arraycopy(bytes, offset, in, incomplete.length, count);
            int whole = wholeLength(in);
            incomplete = Arrays.copyOfRange(in, whole, in.length);
            return new String(in, 0, whole, StandardCharsets.UTF_8);
        }

        /** Without the last character if its rest is still to come: at most three bytes. */
        private static int wholeLength(byte[] in) {
            for (int at = Math.max(0, in.length - 3); at < in.length; at++) {
                if (Utf8.characterLength(in, at, in.length) < 0) {
                    return at;
                }
            }
            return in.length;
        }
    }
}
