package brig.protocol.frame;

import brig.protocol.Limits;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import org.jspecify.annotations.Nullable;

/**
 * A complete frame of a stream. A worker-agent may be newer than a reader: of a frame of unknown type only type, number
 * and time are read.
 *
 * @param seq the sequence number, from 1 within session and epoch
 * @param from in a merged chunk, the first of the frames up to {@code seq} whose content it has; 0 in any other frame
 * @param ts when it was written, in milliseconds since 1970
 * @param frame null if this version does not know the type
 * @param truncated whether parts of it were shortened to fit
 */
@Extensible
public record NumberedFrame(
        String type,
        @Range(min = 1, max = Limits.SEQ_MAX) long seq,
        @OmitEmpty @Range(min = 1, max = Limits.SEQ_MAX) long from,
        @Range(max = Limits.SEQ_MAX) long ts,

        @Flat(tagged = false) @Nullable Frame frame,

        @OmitEmpty boolean truncated) {
    public NumberedFrame(long seq, long ts, Frame frame) {
        this(frame.type().wireName(), seq, 0, ts, frame, false);
    }

    /** The first frame whose content this one has: itself, unless it is a merged chunk. */
    public long firstSeq() {
        return from == 0 ? seq : from;
    }
}
