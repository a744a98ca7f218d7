package brig.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLSocket;

/** A blocking byte connection whose directions end separately. One thread reads, another may write. */
interface ByteLink extends ByteChannel {
    /** Ends the output. */
    void shutdownOutput() throws IOException;

    static ByteLink of(SocketChannel channel) {
        return new ByteLink() {
            @Override
            public int read(ByteBuffer into) throws IOException {
                return channel.read(into);
            }

            @Override
            public int write(ByteBuffer from) throws IOException {
                return channel.write(from);
            }

            @Override
            public void shutdownOutput() throws IOException {
                channel.shutdownOutput();
            }

            @Override
            public boolean isOpen() {
                return channel.isOpen();
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    static ByteLink of(SSLSocket socket) {
        return new ByteLink() {
            @Override
            public int read(ByteBuffer into) throws IOException {
                int read = socket.getInputStream()
                        .read(into.array(), into.arrayOffset() + into.position(), into.remaining());
                into.position(into.position() + Math.max(read, 0));
                return read;
            }

            @Override
            public int write(ByteBuffer from) throws IOException {
                int length = from.remaining();
                socket.getOutputStream().write(from.array(), from.arrayOffset() + from.position(), length);
                from.position(from.limit());
                return length;
            }

            @Override
            public void shutdownOutput() throws IOException {
                socket.shutdownOutput();
            }

            @Override
            public boolean isOpen() {
                return !socket.isClosed();
            }

            @Override
            public void close() throws IOException {
                socket.close();
            }
        };
    }
}
