package brig.gateway.e2e.provider;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.WebSocketBase;
import io.vertx.core.http.WebSocketFrame;
import io.vertx.core.streams.ReadStream;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongConsumer;

/** A stream of Vert.x for a thread that waits: no more is read than was asked for. Made on the stream's event loop. */
final class Pull<T> {
    private final BlockingQueue<Optional<T>> queue = new LinkedBlockingQueue<>();
    private final LongConsumer fetch;

    private Pull(LongConsumer fetch) {
        this.fetch = fetch;
    }

    static Pull<WebSocketFrame> frames(WebSocketBase socket) {
        socket.pause();
        Pull<WebSocketFrame> pull = new Pull<>(socket::fetch);
        socket.frameHandler(frame -> pull.queue.add(frame.isClose() ? Optional.empty() : Optional.of(frame)));
        socket.closeHandler(closed -> pull.queue.add(Optional.empty()));
        socket.exceptionHandler(failed -> pull.queue.add(Optional.empty()));
        return pull;
    }

    static InputStream bytes(ReadStream<Buffer> stream) {
        stream.pause();
        Pull<Buffer> pull = new Pull<>(stream::fetch);
        Handler<Void> ends = ended -> pull.queue.add(Optional.empty());
        stream.handler(bytes -> pull.queue.add(Optional.of(bytes)));
        stream.endHandler(ends);
        stream.exceptionHandler(failed -> ends.handle(null));
        return new Bytes(pull);
    }

    /** Waits for the next; empty at the end, for ever. */
    Optional<T> next() {
        try {
            if (queue.isEmpty()) {
                fetch.accept(1);
            }
            Optional<T> next = queue.take();
            if (next.isEmpty()) {
                queue.add(next);
            }
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static final class Bytes extends InputStream {
        private final Pull<Buffer> pull;
        private byte[] piece = {};
        private int at;

        Bytes(Pull<Buffer> pull) {
            this.pull = pull;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            while (at == piece.length) {
                Optional<Buffer> next = pull.next();
                if (next.isEmpty()) {
                    return -1;
                }
                piece = next.get().getBytes();
                at = 0;
            }
            int count = Math.min(length, piece.length - at);
            System.arraycopy(piece, at, into, offset, count);
            at += count;
            return count;
        }
    }
}
