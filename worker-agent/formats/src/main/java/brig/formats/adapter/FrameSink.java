package brig.formats.adapter;

import brig.protocol.wire.FrameType;

/** Takes the frames of one worker, in order, and numbers them. */
public interface FrameSink {
    /**
     * Appends a frame of the agent; blocks until there is room.
     *
     * @param body the frame after its sequence number: {@code ,"ts":…,…}} and a newline; not kept after the call
     */
    void append(FrameType type, byte[] body, int length) throws InterruptedException;
}
