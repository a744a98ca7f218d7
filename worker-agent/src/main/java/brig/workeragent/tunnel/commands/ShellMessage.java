package brig.workeragent.tunnel.commands;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A message between {@code brig-shim} and {@link ShellServer}: a letter, four bytes of length, the content.
 * {@code brig-shim.c} says what each is.
 */
@SuppressWarnings("ArrayRecordComponent") // handed on once, never compared
record ShellMessage(char type, byte[] content) {
    static final int REQUEST_BYTES_MAX = 256 * 1024;
    /** The content of every other message. */
    static final int CONTENT_BYTES_MAX = 64 * 1024;

    private static final int HEADER_BYTES = 5;

    /** What a shim may send. */
    private static final String FROM_SHIM = "RIESW";

    /**
     * The next message; null at the end of the connection.
     *
     * @throws IOException if it is too long or of no known type, before its content is read
     */
    static @Nullable ShellMessage read(ReadableByteChannel from) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        if (!fill(from, header)) {
            if (header.position() == 0) return null;
            throw new EOFException("the connection ended in a message");
        }
        header.flip();
        char type = (char) (header.get() & 0xff);
        int length = header.getInt();
        if (FROM_SHIM.indexOf(type) < 0) throw new IOException("a message of no known type");
        if (length < 0 || length > (type == 'R' ? REQUEST_BYTES_MAX : CONTENT_BYTES_MAX)) {
            throw new IOException("a message of " + Integer.toUnsignedString(length) + " bytes");
        }
        ByteBuffer content = ByteBuffer.allocate(length);
        if (!fill(from, content)) throw new EOFException("the connection ended in a message");
        return new ShellMessage(type, content.array());
    }

    private static boolean fill(ReadableByteChannel from, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (from.read(buffer) < 0) return false;
        }
        return true;
    }

    static void write(WritableByteChannel to, char type, byte[] bytes, int offset, int length) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(HEADER_BYTES + length);
        message.put((byte) type).putInt(length).put(bytes, offset, length).flip();
        while (message.hasRemaining()) to.write(message);
    }
}
