package brig.gateway.e2e.provider;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocketBase;
import io.vertx.core.http.WebSocketFrame;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** One WebSocket of a client, for threads that wait, until it is cut. */
final class Line {
    private final ServerWebSocket socket;
    private final HttpConnection connection;
    private final Pull<WebSocketFrame> frames;
    private long left;
    private boolean isDue;

    /** On the event loop, before anything else is done with the socket. */
    Line(FakeProvider provider, ServerWebSocket socket, HttpConnection connection, Faults.Cut cut) {
        this.socket = socket;
        this.connection = connection;
        left = cut.afterBytes();
        frames = Pull.frames(socket);
        isDue = cut.afterMs() == 0;
        if (!isDue) {
            provider.later(cut.afterMs(), this::handleDue);
        }
    }

    /** The next frame of the client; empty when there is none any more. */
    Optional<WebSocketFrame> next() {
        return frames.next();
    }

    /** Sends it, and returns when that is done. @throws IOException if the client is gone */
    void send(byte[] bytes, int offset, int length) throws IOException {
        int whole = permitted(length);
        if (whole > 0) {
            await(socket.writeBinaryMessage(Buffer.buffer().appendBytes(bytes, offset, whole)));
        }
        if (whole < length) {
            cut();
        }
    }

    void send(String text) throws IOException {
        if (permitted(text.length()) < text.length()) {
            cut();
        }
        await(socket.writeTextMessage(text));
    }

    /** Passes on what came from the client. @param from of the bytes */
    void receive(Buffer bytes, int from, OutputStream to) throws IOException {
        int length = bytes.length() - from;
        int whole = permitted(length);
        to.write(bytes.getBytes(from, from + whole));
        to.flush();
        if (whole < length) {
            cut();
        }
    }

    void forward(WebSocketFrame frame, WebSocketBase to) throws IOException {
        if (permitted(frame.binaryData().length()) < frame.binaryData().length()) {
            cut();
        }
        await(to.writeFrame(frame));
    }

    void send(WebSocketFrame frame) throws IOException {
        forward(frame, socket);
    }

    void close(int code) {
        socket.close((short) code);
    }

    private synchronized void handleDue() {
        isDue = true;
        if (left <= 0) {
            FakeProvider.cut(connection);
        }
    }

    private synchronized int permitted(int length) {
        if (!isDue) {
            left = Math.max(0, left - length);
            return length;
        }
        int whole = (int) Math.min(left, length);
        left -= whole;
        return whole;
    }

    private void cut() throws IOException {
        FakeProvider.cut(connection);
        throw new IOException("cut");
    }

    static void await(Future<?> future) throws IOException {
        try {
            future.toCompletionStage().toCompletableFuture().join();
        } catch (CompletionException e) {
            throw new IOException(e);
        }
    }
}
