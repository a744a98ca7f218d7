package brig.formats.adapter;

import brig.protocol.wire.FrameType;

/** Takes the frames of one worker, in order, and numbers them. */
public interface FrameSink {
    /**
     * Appends a frame of what an agent said; waits for room.
     *
     * @param body all of the frame behind its sequence number: {@code ,"ts":…,…}} and a newline; read
     *     during the call only
     */
    void append(FrameType type, byte[] body, int length) throws InterruptedException;
}
