package brig.gateway.stream;

import brig.protocol.Limits;
import brig.protocol.wire.ChunkScanner;
import brig.protocol.wire.FrameDecoder;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The entry of a worker's bytes into the log. Its socket reads into the memory after the newest frame, and the expected
 * chunks, which are nearly everything, stay there: no copy is made between the kernel and the subscribers' sockets.
 * Anything else goes to a {@link FrameDecoder} and then to {@link StreamLog#append}.
 *
 * <p>One instance per connection of the worker, so that an unfinished line is not continued by the next connection.
 * Owned by the event loop.
 *
 * <p>Decision 0022.
 */
public final class Inlet {
    /** State shared by the inlets of an event loop; none of it outlives a call. */
    public static final class Shared {
        private final ChunkScanner scanner = new ChunkScanner();
        private final byte[] scratch = new byte[Limits.FRAME_BYTES_MAX];
    }

    private final StreamLog log;
    private final Shared shared;
    private final FrameDecoder decoder;
    /** The target of the last read; null before the first. Its unparsed bytes are an unfinished line. */
    private @Nullable Segment tail;

    /** @param others receives the other frames and appends them */
    public Inlet(StreamLog log, Shared shared, FrameDecoder.Sink others) {
        this.log = log;
        this.shared = shared;
        this.decoder = new FrameDecoder(others);
    }

    /** Memory for the next read, at least a byte, to be filled from index 0. The caller owns it. */
    public ByteBuf room() {
        Segment newest = log.tail();
        if (tail == null && newest != null) {
            newest.forgetUnparsed();
        }
        if (tail != null && tail != newest && tail.unparsedBytes() > 0) {
            throw new IllegalStateException("a log was appended to while its worker was in the middle of a line");
        }
        tail = newest != null && newest.hasRoomToRead() ? newest : log.newTail(newest);
        return tail.room();
    }

    /** That many bytes were read into {@link #room}. */
    public void take(int bytes) {
        Segment at = tail;
        if (at == null) {
            throw new IllegalStateException("nothing was read");
        }
        at.handleRead(bytes);
        if (decoder.isAtLineStart()) {
            log.parse(at, shared.scanner);
            while (at.unparsedBytes() > 0 && at.isFull()) {
                at = log.newTail(at);
                log.parse(at, shared.scanner);
            }
            tail = at;
        }
        if (!decoder.isAtLineStart() || at.unparsedBytes() == Limits.FRAME_BYTES_MAX || at.hasUnparsedNewline()) {
            int length = at.takeUnparsed(shared.scratch);
            decoder.decode(shared.scratch, 0, length);
        }
    }
}
