package brig.gateway.stream;

import brig.gateway.telemetry.Transport;
import brig.protocol.ErrorCode;

/**
 * The destination of a subscriber's frames: a connection, or the recorder. Writes are collected and sent with the flush
 * at the end of the event loop's iteration. Owned by the event loop.
 */
public interface FrameSink {
    /** Frames are waiting. Called before each drain, before {@link #isWritable}. */
    default void handleFramesWaiting() {}

    /** Whether it can take another batch. When it becomes writable again, it calls the subscription's drain. */
    boolean isWritable();

    /** Takes frames. They belong to the batch's segment, so a sink that keeps them takes a slice. */
    void write(FrameBatch batch);

    /** Reports that frames {@code from} to {@code to} will not come. */
    void gap(long from, long to, GapReason reason);

    /** Reports an event of the stream outside of its frames, such as the loss of its record. */
    void notice(ErrorCode code, String message);

    /** Reports that the worker is paused by a slow captain, or no longer. */
    void throttled(boolean throttled);

    /** Sends what was written since the last flush. */
    void flush();

    /** The stream ended, and all of it was written. */
    void end();

    /** The transport that its subscriber is counted under. */
    default Transport transport() {
        return Transport.NONE;
    }
}
