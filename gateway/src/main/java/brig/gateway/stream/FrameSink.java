package brig.gateway.stream;

import brig.gateway.telemetry.Transport;
import brig.protocol.ErrorCode;

/**
 * Where a reader's frames go: a connection, or the recorder. Writes are collected and go out with the flush at the end
 * of the loop's turn. Owned by the event loop.
 */
public interface FrameSink {
    /** Frames wait for it. Each drain tells it that before it asks whether it is writable. */
    default void handleFramesWaiting() {}

    /** Whether it can take another batch without queueing more than its bound. When it can again, it calls the reader's drain. */
    boolean isWritable();

    /** Takes frames; they belong to the batch's segment, so a sink that keeps them takes a slice. */
    void write(FrameBatch batch);

    /** Says that frames {@code from} to {@code to} will not come. */
    void gap(long from, long to, GapReason reason);

    /** Says something about the stream that is no frame of it, such as the loss of its record. */
    void notice(ErrorCode code, String message);

    /** Says that the worker is held back by a slow captain, or that it is no more. */
    void throttled(boolean throttled);

    /** Sends what was written since the last flush. */
    void flush();

    /** The stream ended, and everything of it was written. */
    void end();

    /** What its reader counts as. */
    default Transport transport() {
        return Transport.NONE;
    }
}
