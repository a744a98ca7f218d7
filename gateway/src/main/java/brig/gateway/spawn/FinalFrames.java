package brig.gateway.spawn;

import brig.protocol.wire.FrameType;
import java.util.Arrays;

/**
 * The last frames of a stream: {@code state terminated} and the {@code done} before it. Every subscriber must get them,
 * even if most of the stream is lost. Owned by the event loop.
 *
 * <p>Decision 0041.
 */
final class FinalFrames {
    private long firstSeq;
    private long lastSeq;
    private byte[] lines = {};

    /** Notes a {@code done} or {@code state} frame, with its newline. */
    void note(FrameType type, long seq, byte[] bytes, int offset, int length) {
        boolean follows = type == FrameType.STATE && lines.length > 0 && seq == lastSeq + 1;
        int before = follows ? lines.length : 0;
        byte[] noted = Arrays.copyOf(lines, before + length);
        System.arraycopy(bytes, offset, noted, before, length);
        lines = noted;
        firstSeq = follows ? firstSeq : seq;
        lastSeq = seq;
    }

    /** The stream is recorded: passes on the noted frames. */
    void handOver(String spawnId, StreamLogs logs) {
        if (lines.length > 0) {
            logs.keepEnd(spawnId, firstSeq, lastSeq, lines);
            lines = new byte[0];
        }
    }
}
