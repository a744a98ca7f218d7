package brig.protocol.frame;

import brig.protocol.Limits;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import org.jspecify.annotations.Nullable;

/**
 * A frame of a stream, whole. A worker-agent may be newer than a reader: of a frame whose type the reader does not know,
 * type, number and time are known and nothing else.
 *
 * @param seq the number, which counts from 1 within session and epoch
 * @param ts when it was written, in milliseconds since 1970
 * @param frame null where the type is none of this version
 * @param truncated whether something in it was shortened to fit
 */
@Extensible
public record NumberedFrame(
        String type,
        @Range(min = 1, max = Limits.SEQ_MAX) long seq,
        @Range(max = Limits.SEQ_MAX) long ts,

        @Flat(tagged = false) @Nullable Frame frame,

        @OmitEmpty boolean truncated) {
    public NumberedFrame(long seq, long ts, Frame frame) {
        this(frame.type().wireName(), seq, ts, frame, false);
    }
}
