package brig.client;

import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A WebSocket. The next piece is asked for when the one before was taken, so that no more than one waits. */
final class WebSocketWire implements Wire, WebSocket.Listener {
    private static final byte[] END = new byte[0];

    private final BlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>();
    private final ReentrantLock writing = new ReentrantLock();
    private volatile @Nullable WebSocket socket;

    @Override
    public void onOpen(WebSocket opened) {
        socket = opened;
        opened.request(1);
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        byte[] bytes = (last ? data + "\n" : data.toString()).getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0) {
            from.request(1);
        } else {
            pieces.add(bytes);
        }
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        close();
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int statusCode, String reason) {
        pieces.add(END);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        pieces.add(END);
    }

    @Override
    public byte[] read() {
        try {
            byte[] piece = pieces.take();
            if (piece.length == 0) {
                // Whoever reads on finds the end again.
                pieces.add(END);
            } else if (socket != null) {
                socket.request(1);
            }
            return piece;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return END;
        }
    }

    @Override
    public void write(String lines) {
        WebSocket opened = socket;
        writing.lock();
        try {
            if (opened != null) {
                opened.sendText(lines, true).join();
            }
        } catch (CompletionException e) {
            // Who reads finds the end, and tells everybody.
            close();
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void close() {
        WebSocket opened = socket;
        if (opened != null) {
            opened.abort();
        }
        pieces.add(END);
    }
}
