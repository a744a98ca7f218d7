package brig.gateway.stream;

import brig.protocol.ErrorCode;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds the newest whole checkpoint of a terminal in the record of an earlier process. It reads larger and larger ends of
 * the record until one has two: where only one is, an earlier piece of it may lie before. Owned by the event loop.
 */
final class ScreenSearch implements FrameDecoder.Sink {
    private static final int FIRST_FRAMES = 256;
    private static final int READ_BYTES = 256 * 1024;
    /** The end of the line of a piece that others follow: the last field of the frame. */
    private static final byte[] MORE = ",\"more\":true}\n".getBytes(StandardCharsets.US_ASCII);

    private final StreamArchive archive;
    private final long lastSeq;
    private final ScreenMark found;

    private ScreenMark here = new ScreenMark();
    private int whole;
    private long next;

    ScreenSearch(StreamArchive archive, long lastSeq, ScreenMark found) {
        this.archive = archive;
        this.lastSeq = lastSeq;
        this.found = found;
    }

    void begin() {
        from(Math.max(1, lastSeq - FIRST_FRAMES), FIRST_FRAMES);
    }

    private void from(long seq, long frames) {
        here = new ScreenMark();
        whole = 0;
        next = seq;
        FrameDecoder decoder = new FrameDecoder(this);
        read(decoder, seq, frames);
    }

    private void read(FrameDecoder decoder, long seq, long frames) {
        var _ = archive.read(next, READ_BYTES).thenAccept(stored -> {
            next = stored.lines().length == 0 ? lastSeq + 1 : Math.max(next, stored.firstSeq());
            decoder.decode(stored.lines(), 0, stored.lines().length);
            if (next <= lastSeq) {
                read(decoder, seq, frames);
            } else if (whole > 1 || (whole == 1 && seq == 1)) {
                found.find(here.seq());
            } else if (seq > 1) {
                from(Math.max(1, seq - 4 * frames), 4 * frames);
            }
        });
    }

    @Override
    public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
        next = seq + 1;
        if (type == FrameType.SCREEN) {
            int end = offset + length;
            boolean more = Arrays.equals(bytes, Math.max(offset, end - MORE.length), end, MORE, 0, MORE.length);
            here.handle(seq, more);
            whole += more ? 0 : 1;
        }
    }

    /** Such a line was refused on arrival, or the disk damaged it. */
    @Override
    public void handleBadFrame(ErrorCode code) {}
}
