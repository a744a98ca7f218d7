package brig.gateway.provider.websocket;

import brig.protocol.VisibleText;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of a WebSocket (RFC 6455), for threads that may block: one that reads, any that write. Vert.x has one
 * too, but looks up the name by itself and so would dial an address that nobody judged.
 */
public final class WebSocket implements AutoCloseable {
    /** What a message may have that is read. */
    public static final int MESSAGE_BYTES_MAX = 1024 * 1024;

    private static final int CONTROL_BYTES_MAX = 125;
    private static final int UNANSWERED_MAX = 3;
    private static final int NORMAL = 1000;
    private static final int PROTOCOL_ERROR = 1002;
    /** What no peer sends: there was no close frame. */
    private static final int ABNORMAL = 1006;

    private static final int FIN = 0x80;
    private static final int MASKED = 0x80;
    private static final int CONTINUATION = 0;
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;
    private static final int LENGTH_16 = 126;
    private static final int LENGTH_64 = 127;

    /** @param text whether it is text, in UTF-8 */
    @SuppressWarnings("ArrayRecordComponent") // handed on once, never compared
    public record Message(boolean text, byte[] bytes) {
        public String asText() {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private record Head(boolean fin, int kind, int length) {}

    private final ByteStreams streams;
    private final SecureRandom random = new SecureRandom();
    /** Whether a reader waits, and so nothing is there to be read. */
    private volatile boolean waits;

    private volatile int unanswered;
    private volatile int code = ABNORMAL;
    private volatile String reason = "";

    public WebSocket(ByteStreams streams) {
        this.streams = streams;
    }

    /** The next message; null after a close frame. @throws IOException if the connection ended without one */
    public @Nullable Message read() throws IOException {
        try {
            return message();
        } catch (BrokenFrames e) {
            reason = e.getMessage();
            streams.offer(frame(CLOSE, closing(PROTOCOL_ERROR)));
            streams.close();
            throw e;
        }
    }

    private @Nullable Message message() throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        int kind = CONTINUATION;
        while (true) {
            Head head = head();
            if (head.kind() >= CLOSE) {
                if (!handleControl(head.kind(), bytes(head.length()))) {
                    return null;
                }
                continue;
            }
            if ((head.kind() == CONTINUATION) == (kind == CONTINUATION)) {
                throw new BrokenFrames("a message within another");
            }
            if (head.length() > MESSAGE_BYTES_MAX - whole.size()) {
                throw new BrokenFrames("a message of more than " + MESSAGE_BYTES_MAX + " bytes");
            }
            kind = kind == CONTINUATION ? head.kind() : kind;
            byte[] part = bytes(head.length());
            if (head.fin() && whole.size() == 0) {
                return new Message(kind == TEXT, part);
            }
            whole.writeBytes(part);
            if (head.fin()) {
                return new Message(kind == TEXT, whole.toByteArray());
            }
        }
    }

    private Head head() throws IOException {
        byte[] two = bytes(2);
        int first = two[0] & 0xff;
        int second = two[1] & 0xff;
        boolean fin = (first & FIN) != 0;
        int kind = first & 0x0f;
        long length = second & ~MASKED;
        if (length == LENGTH_16) {
            length = ByteBuffer.wrap(bytes(2)).getShort() & 0xffff;
        } else if (length == LENGTH_64) {
            length = ByteBuffer.wrap(bytes(8)).getLong();
        }
        boolean known = kind <= BINARY || (kind >= CLOSE && kind <= PONG);
        boolean control = kind >= CLOSE;
        if ((first & 0x70) != 0 || (second & MASKED) != 0 || !known) {
            throw new BrokenFrames("a frame that no server sends");
        }
        if (control && (!fin || length > CONTROL_BYTES_MAX)) {
            throw new BrokenFrames("a control frame that is too long");
        }
        if (length < 0 || length > MESSAGE_BYTES_MAX) {
            throw new BrokenFrames("a message of more than " + MESSAGE_BYTES_MAX + " bytes");
        }
        return new Head(fin, kind, (int) length);
    }

    /** @return whether it goes on */
    private boolean handleControl(int kind, byte[] bytes) throws BrokenFrames {
        if (kind == PING) {
            streams.offer(frame(PONG, bytes));
        } else if (kind == CLOSE) {
            int said = bytes.length == 0
                    ? NORMAL
                    : bytes.length == 1 ? 0 : ByteBuffer.wrap(bytes).getShort() & 0xffff;
            if (said < NORMAL || said == ABNORMAL) {
                throw new BrokenFrames("a close frame that no server sends");
            }
            code = said;
            reason = bytes.length < 2
                    ? ""
                    : VisibleText.of(new String(bytes, 2, bytes.length - 2, StandardCharsets.UTF_8));
            streams.offer(frame(CLOSE, closing(NORMAL)));
            streams.close();
            return false;
        }
        return true;
    }

    private byte[] bytes(int length) throws IOException {
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; ) {
            waits = true;
            int read = streams.read(bytes, at, length - at);
            waits = false;
            unanswered = 0;
            if (read < 0) {
                throw new EOFException(reason.isEmpty() ? "the connection was cut" : reason);
            }
            at += read;
        }
        return bytes;
    }

    public void text(String text) throws IOException {
        streams.write(frame(TEXT, text.getBytes(StandardCharsets.UTF_8)));
    }

    public void binary(byte[] bytes) throws IOException {
        streams.write(frame(BINARY, bytes));
    }

    /**
     * Asks for a sign of life, and ends the connection if the last ones are not answered. A reader that is behind would
     * not see an answer. @return whether it is to be called again
     */
    public boolean checkAlive() {
        if (streams.hasEnded()) {
            return false;
        }
        unanswered = waits ? unanswered + 1 : 0;
        if (unanswered > UNANSWERED_MAX) {
            cut("no sign of life");
            return false;
        }
        streams.offer(frame(PING, new byte[0]));
        return true;
    }

    private byte[] frame(int kind, byte[] bytes) {
        int extended = bytes.length < LENGTH_16 ? 0 : bytes.length <= 0xffff ? 2 : 8;
        ByteBuffer frame = ByteBuffer.allocate(2 + extended + 4 + bytes.length);
        frame.put((byte) (FIN | kind));
        if (extended == 0) {
            frame.put((byte) (MASKED | bytes.length));
        } else if (extended == 2) {
            frame.put((byte) (MASKED | LENGTH_16)).putShort((short) bytes.length);
        } else {
            frame.put((byte) (MASKED | LENGTH_64)).putLong(bytes.length);
        }
        byte[] mask = new byte[4];
        random.nextBytes(mask);
        frame.put(mask);
        for (int at = 0; at < bytes.length; at++) {
            frame.put((byte) (bytes[at] ^ mask[at % 4]));
        }
        return frame.array();
    }

    private static byte[] closing(int code) {
        return ByteBuffer.allocate(2).putShort((short) code).array();
    }

    /** Whether the peer said that all is well. */
    boolean endedWell() {
        return code == NORMAL || code == NORMAL + 1;
    }

    /** Why it ended, as far as the peer said; empty for nothing. */
    String lastWords() {
        return endedWell() || code == ABNORMAL
                ? reason
                : "closed with " + code + (reason.isEmpty() ? "" : ": " + reason);
    }

    /** Ends it at once, for a reason of this side. On any thread. */
    public void cut(String why) {
        reason = why;
        streams.close();
    }

    /** Says so and ends it. On any thread. */
    @Override
    public void close() {
        streams.offer(frame(CLOSE, closing(NORMAL)));
        streams.close();
    }

    /** What no peer may send. */
    private static final class BrokenFrames extends IOException {
        private static final long serialVersionUID = 1;

        BrokenFrames(String what) {
            super("the WebSocket brought " + what);
        }

        @Override
        public String getMessage() {
            return String.valueOf(super.getMessage());
        }
    }
}
