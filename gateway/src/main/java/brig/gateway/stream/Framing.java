package brig.gateway.stream;

import io.netty.buffer.ByteBuf;

/**
 * A transport's framing of a batch. It depends only on the batch's length, so a batch is framed once for all its
 * subscribers.
 */
public interface Framing {
    /** No framing: a Unix socket. */
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

    /** Maximum size of the framing, in bytes. */
    int bytesMax();

    /** Whether the batch is sent as server-sent events instead of lines. */
    boolean ofEvents();

    /** Writes the part before a body of that length. */
    void writeHead(ByteBuf out, int bodyBytes);

    /** Writes the part after it. */
    void writeTail(ByteBuf out);
}
