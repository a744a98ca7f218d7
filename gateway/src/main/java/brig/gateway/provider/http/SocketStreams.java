package brig.gateway.provider.http;

import brig.gateway.provider.websocket.ByteStreams;
import brig.protocol.Reason;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A connection for threads that may block. The socket gives {@link #AHEAD} pieces ahead of the reader, and a writer waits
 * while its queue is full, so neither side has one that grows. A write to a connection that was upgraded is never said to
 * be done. Fields are guarded by the object, but for those of the event loop.
 */
final class SocketStreams implements ByteStreams {
    /** Pieces of at most 64 KiB. */
    private static final int AHEAD = 4;

    private final NetSocket socket;
    private final HttpConnection connection;
    private final Executor loop;
    private final Queue<Buffer> waiting = new ArrayDeque<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    /** Who waits for room. Owned by the event loop. */
    private final List<CompletableFuture<String>> writers = new ArrayList<>();

    private @Nullable Buffer current;
    private int at;

    /** On the event loop, in the turn that made the socket. */
    SocketStreams(NetSocket socket, HttpConnection connection, Executor loop) {
        this.socket = socket;
        this.connection = connection;
        this.loop = loop;
        socket.pause();
        socket.handler(this::handle);
        socket.exceptionHandler(failure ->
                end(failure instanceof IOException io ? Reason.of(io) : String.valueOf(failure.getMessage())));
        socket.endHandler(nothing -> end("the connection ended"));
        socket.drainHandler(room -> {
            List<CompletableFuture<String>> all = List.copyOf(writers);
            writers.clear();
            all.forEach(writer -> writer.complete(""));
        });
        connection.closeHandler(nothing -> end("the connection ended"));
        socket.fetch(AHEAD);
    }

    private synchronized void handle(Buffer piece) {
        waiting.add(piece);
        notifyAll();
    }

    private synchronized void end(String why) {
        ended.complete(why);
        notifyAll();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Buffer piece = current;
        if (piece == null || at == piece.length()) {
            piece = next();
            current = piece;
            at = 0;
        }
        if (piece == null) {
            return -1;
        }
        int read = Math.min(length, piece.length() - at);
        piece.getBytes(at, at + read, bytes, offset);
        at += read;
        return read;
    }

    /** The next piece that is not empty; null at the end. */
    private @Nullable Buffer next() throws IOException {
        while (true) {
            Buffer piece = await();
            if (piece == null) {
                return null;
            }
            loop.execute(() -> socket.fetch(1));
            if (piece.length() > 0) {
                return piece;
            }
        }
    }

    private synchronized @Nullable Buffer await() throws IOException {
        try {
            while (waiting.isEmpty() && !ended.isDone()) {
                wait();
            }
            return waiting.poll();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    @Override
    public void write(byte[] bytes) throws IOException {
        if (hasEnded()) {
            throw new IOException(ended.join());
        }
        CompletableFuture<String> taken = new CompletableFuture<>();
        loop.execute(() -> {
            var _ = socket.write(Buffer.buffer(bytes));
            if (socket.writeQueueFull()) {
                writers.add(taken);
            } else {
                taken.complete("");
            }
        });
        try {
            String failed = String.valueOf(CompletableFuture.anyOf(taken, ended).get());
            if (!failed.isEmpty()) {
                throw new IOException(failed);
            }
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    @Override
    public void offer(byte[] bytes) {
        loop.execute(() -> {
            if (!socket.writeQueueFull()) {
                var _ = socket.write(Buffer.buffer(bytes));
            }
        });
    }

    @Override
    public boolean hasEnded() {
        return ended.isDone();
    }

    @Override
    public void close() {
        end("it was closed here");
        loop.execute(connection::close);
    }
}
