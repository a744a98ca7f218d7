package brig.gateway.stream;

import brig.protocol.Limits;
import brig.protocol.wire.ChunkScanner;
import brig.protocol.wire.FrameDecoder;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Where a worker's bytes come into the log: its socket reads into the memory behind the newest frame, and the chunks that
 * come next, which is nearly everything, stay where they arrived. From the kernel to the readers' sockets nobody copies
 * them. Whatever else arrives goes to a {@link FrameDecoder}, and comes back to {@link StreamLog#append}.
 *
 * <p>One for each connection of the worker: a line that it did not finish is not continued by the next. State owned by
 * the event loop.
 *
 * <p>Decision 0022.
 */
public final class Inlet {
    /** What the inlets of an event loop share: nothing in it outlives a call. */
    public static final class Shared {
        private final ChunkScanner scanner = new ChunkScanner();
        private final byte[] scratch = new byte[Limits.FRAME_BYTES_MAX];
    }

    private final StreamLog log;
    private final Shared shared;
    private final FrameDecoder decoder;
    /** Where the last read went; null before the first. Its unparsed bytes are a line whose newline has not come yet. */
    private @Nullable Segment tail;

    /** @param others takes the frames that do not stay where they arrived, and appends them */
    public Inlet(StreamLog log, Shared shared, FrameDecoder.Sink others) {
        this.log = log;
        this.shared = shared;
        this.decoder = new FrameDecoder(others);
    }

    /** Memory for the next read, at least a byte, which goes in from index 0 on. The caller owns it. */
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

    /** So many bytes were read into what {@link #room} gave. */
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
