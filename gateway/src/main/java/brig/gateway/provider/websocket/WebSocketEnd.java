package brig.gateway.provider.websocket;

import brig.gateway.joint.FarEnd;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;

/** The binary messages of a WebSocket as bytes, whose borders mean nothing. */
public final class WebSocketEnd implements FarEnd {
    private static final int CHUNK = 64 * 1024;

    private final WebSocket socket;
    private final InputStream input = new Input();
    private final OutputStream output = new Output();

    public WebSocketEnd(WebSocket socket) {
        this.socket = socket;
    }

    @Override
    public InputStream input() {
        return input;
    }

    @Override
    public OutputStream output() {
        return output;
    }

    @Override
    public void close() {
        socket.close();
    }

    @Override
    public String lastWords() {
        return socket.lastWords();
    }

    private final class Input extends InputStream {
        private byte[] message = new byte[0];
        private int at;
        private boolean over;

        @Override
        public int read() throws IOException {
            return await() ? message[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            if (length == 0) {
                return 0;
            }
            if (!await()) {
                return -1;
            }
            int read = Math.min(length, message.length - at);
            System.arraycopy(message, at, bytes, offset, read);
            at += read;
            return read;
        }

        /** Waits for a byte. @return false at the end */
        private boolean await() throws IOException {
            while (at == message.length && !over) {
                WebSocket.Message next = socket.read();
                if (next == null) {
                    over = true;
                    if (!socket.endedWell()) {
                        throw new IOException(socket.lastWords());
                    }
                } else if (next.text()) {
                    throw new IOException("the WebSocket brought text where bytes belong");
                } else {
                    message = next.bytes();
                    at = 0;
                }
            }
            return !over;
        }
    }

    private final class Output extends OutputStream {
        @Override
        public void write(int one) throws IOException {
            socket.binary(new byte[] {(byte) one});
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            for (int at = offset; at < offset + length; at += CHUNK) {
                socket.binary(Arrays.copyOfRange(bytes, at, Math.min(at + CHUNK, offset + length)));
            }
        }

        @Override
        public void close() {
            socket.close();
        }
    }
}
