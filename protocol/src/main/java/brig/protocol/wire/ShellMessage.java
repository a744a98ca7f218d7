package brig.protocol.wire;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A message between the caller of a shell and what runs it on another host: a letter, four bytes of length, the content.
 * {@code PROTOCOL.md} says what each is; {@code brig-shim.c} is a caller too.
 */
@SuppressWarnings("ArrayRecordComponent") // handed on once, never compared
public record ShellMessage(char type, byte[] content) {
    /** What a shim may send. */
    public static final String FROM_SHIM = "RIESW";
    /** What the caller of a shell may send whose request was made for it. */
    public static final String FROM_PERSON = "IESW";
    /** What callers are sent. */
    public static final String TO_CALLER = "AOXFCK";

    /** The content of a request, {@code R}. */
    public static final int REQUEST_BYTES_MAX = 256 * 1024;
    /** The content of every other message. */
    public static final int CONTENT_BYTES_MAX = 64 * 1024;

    private static final int HEADER_BYTES = 5;

    /**
     * The next message; null at the end of the connection.
     *
     * @param types that may come
     * @throws IOException if it is too long or of another type, before its content is read
     */
    public static @Nullable ShellMessage read(ReadableByteChannel from, String types) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        if (!fill(from, header)) {
            if (header.position() == 0) return null;
            throw new EOFException("the connection ended in a message");
        }
        header.flip();
        char type = (char) (header.get() & 0xff);
        int length = header.getInt();
        if (types.indexOf(type) < 0) throw new IOException("a message of no known type");
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

    public static void write(WritableByteChannel to, char type, byte[] bytes, int offset, int length)
            throws IOException {
        ByteBuffer message = ByteBuffer.allocate(HEADER_BYTES + length);
        message.put((byte) type).putInt(length).put(bytes, offset, length).flip();
        while (message.hasRemaining()) to.write(message);
    }
}
