package brig.gateway.stream;

import io.netty.buffer.ByteBuf;

/**
 * What a transport puts around a batch of frames. It depends on nothing but the batch's length, so a batch is framed once
 * for all its readers.
 */
public interface Framing {
    /** Lines as they are: a Unix socket. */
    Framing NONE = new Framing() {
        @Override
        public int bytesMax() {
            return 0;
        }

        @Override
        public boolean ofEvents() {
            return false;
        }

        @Override
        public void writeHead(ByteBuf out, int bodyBytes) {}

        @Override
        public void writeTail(ByteBuf out) {}
    };

    /** At most so many bytes around a batch. */
    int bytesMax();

    /** Whether the batch goes out as server-sent events rather than as lines. */
    boolean ofEvents();

    /** Writes what comes before a body of that length. */
    void writeHead(ByteBuf out, int bodyBytes);

    /** Writes what comes behind it. */
    void writeTail(ByteBuf out);
}
