package brig.gateway.stream;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletionStage;

/**
 * The part of a stream that is on disk. Calls return at once; what they return completes on the event loop. Calls on one
 * archive take effect in their order.
 */
public interface StreamArchive {
    /**
     * Stored lines.
     *
     * @param firstSeq number of the first one; greater than what was asked for where older ones are gone
     * @param lines whole lines end to end; empty where nothing is stored from the wanted frame on
     * @param missing why frames between the wanted one and the first are not there, if any
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on once, never compared
    record Stored(long firstSeq, byte[] lines, GapReason missing) {}

    /** Adds lines, the first with that number, and gives up the buffer. Fails with the IOException of the disk. */
    CompletionStage<Void> append(long firstSeq, long lastSeq, ByteBuf lines);

    /** Reads about {@code bytesMax} bytes of whole lines from the frame {@code fromSeq} on, at least one line. */
    CompletionStage<Stored> read(long fromSeq, int bytesMax);

    /** The number of the oldest stored frame; {@link Long#MAX_VALUE} where nothing is stored. */
    long firstSeq();

    /** Closes its file. Nothing is appended after this; reading goes on. */
    CompletionStage<Void> close();
}
