package brig.gateway.provider.websocket;

import java.io.IOException;

/** Bytes both ways, for threads that may block. */
public interface ByteStreams {
    /** At least one byte; -1 at the end. One thread reads. */
    int read(byte[] bytes, int offset, int length) throws IOException;

    /** Waits while there is no room. */
    void write(byte[] bytes) throws IOException;

    /** Sends them if there is room, else not at all. */
    void offer(byte[] bytes);

    boolean hasEnded();

    /** Ends both directions. On any thread. */
    void close();
}
