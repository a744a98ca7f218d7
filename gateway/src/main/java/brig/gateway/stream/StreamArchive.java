package brig.gateway.stream;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletionStage;

/**
 * The part of a stream that is on disk. Calls return at once and take effect in order; results complete on the event
 * loop.
 */
public interface StreamArchive {
    /**
     * Stored lines.
     *
     * @param firstSeq number of the first one; greater than requested if older ones are gone
     * @param lines whole lines end to end; empty if nothing is stored from the wanted frame on
     * @param missing why frames between the wanted one and the first are missing, if any are
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on once, never compared
    record Stored(long firstSeq, byte[] lines, GapReason missing) {}

    /** Appends lines, the first with that number, and releases the buffer. Fails with the disk's IOException. */
    CompletionStage<Void> append(long firstSeq, long lastSeq, ByteBuf lines);

    /** Reads about {@code bytesMax} bytes of whole lines from frame {@code fromSeq} on, at least one line. */
    CompletionStage<Stored> read(long fromSeq, int bytesMax);

    /** The number of the oldest stored frame; {@link Long#MAX_VALUE} if nothing is stored. */
    long firstSeq();

    /** Closes its file. Nothing is appended after this; reads still work. */
    CompletionStage<Void> close();
}
