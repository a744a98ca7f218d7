package brig.protocol.wire;

import brig.protocol.Limits;
import brig.protocol.json.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encodes the raw output of an agent into the bodies of {@code chunk} frames. Characters are never split, whatever the
 * reads were; malformed UTF-8 becomes U+FFFD, as in a browser; a frame never exceeds {@link Limits#FRAME_BYTES_MAX}.
 * One instance per output stream, owned by the thread that reads it.
 *
 * <p>A body is the frame after its sequence number, {@code ,"ts":…,"stream":"stdout","content":"…"}} and a newline. The
 * caller that assigns the number writes the head.
 */
public final class ChunkEncoder {
    /** Receives bodies, in order. The array is valid during the call only. */
    public interface Sink {
        void handleChunkBody(byte[] bytes, int length) throws InterruptedException;
    }

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLACEMENT = "\uFFFD".getBytes(StandardCharsets.UTF_8);
    private static final byte[] TAIL = "\"}\n".getBytes(StandardCharsets.US_ASCII);
    /** Maximum length of a frame's head: its type and the longest sequence number. */
    private static final int HEAD_BYTES_MAX = 64;

    private static final int ESCAPE_BYTES_MAX = 6;

    private final String stream;
    private final Sink sink;
    private final byte[] body = new byte[Limits.FRAME_BYTES_MAX - HEAD_BYTES_MAX];
    private int length;
    /** The first bytes of a character that is not complete yet. */
    private byte[] incomplete = new byte[0];

    /** @param stream the value of the frame's field {@code stream}, such as {@code stdout} */
    public ChunkEncoder(String stream, Sink sink) {
        this.stream = stream;
        this.sink = sink;
    }

    /** Encodes the next bytes of the output into one frame, or several if they do not fit. */
    public void encode(byte[] bytes, int offset, int count, long nowMs) throws InterruptedException {
        byte[] in = bytes;
        int at = offset;
        int end = offset + count;
        if (incomplete.length > 0) {
            in = Arrays.copyOf(incomplete, incomplete.length + count);
            System.arraycopy(bytes, offset, in, incomplete.length, count);
            at = 0;
            end = in.length;
            incomplete = new byte[0];
        }
        begin(nowMs);
        int empty = length;
        while (at < end) {
            if (length + ESCAPE_BYTES_MAX + TAIL.length > body.length) {
                emit();
                begin(nowMs);
            }
            int character = Utf8.characterLength(in, at, end);
            if (character < 0) {
                incomplete = Arrays.copyOfRange(in, at, end);
                break;
            }
            put(in, at, character);
            at += character > 0 ? character : Utf8.malformedLength(in, at, end);
        }
        if (length > empty) {
            emit();
        }
    }

    /** Ends the output; an incomplete character becomes U+FFFD. */
    public void finish(long nowMs) throws InterruptedException {
        if (incomplete.length > 0) {
            incomplete = new byte[0];
            begin(nowMs);
            append(REPLACEMENT);
            emit();
        }
    }

    private void begin(long nowMs) {
        length = 0;
        append((",\"ts\":" + nowMs + ",\"stream\":\"" + stream + "\",\"content\":\"")
                .getBytes(StandardCharsets.US_ASCII));
    }

    private void emit() throws InterruptedException {
        append(TAIL);
        sink.handleChunkBody(body, length);
    }

    private void put(byte[] in, int at, int character) {
        byte b = in[at];
        if (character == 0) {
            append(REPLACEMENT);
        } else if (character > 1) {
            putLong(in, at, character);
        } else if (b >= ' ' && b != '"' && b != '\\' && b != 0x7f) {
            body[length++] = b;
        } else {
            putEscaped(b);
        }
    }

    private void putLong(byte[] in, int at, int character) {
        int control = Utf8.lateControl(in, at, at + character);
        if (control >= 0) {
            body[length++] = '\\';
            putCode(control);
        } else {
            System.arraycopy(in, at, body, length, character);
            length += character;
        }
    }

    private void putEscaped(byte b) {
        body[length++] = '\\';
        switch (b) {
            case '"', '\\' -> body[length++] = b;
            case '\n' -> body[length++] = 'n';
            case '\r' -> body[length++] = 'r';
            case '\t' -> body[length++] = 't';
            default -> putCode(b);
        }
    }

    private void putCode(int control) {
        body[length++] = 'u';
        body[length++] = '0';
        body[length++] = '0';
        body[length++] = HEX[control >> 4];
        body[length++] = HEX[control & 15];
    }

    private void append(byte[] bytes) {
        System.arraycopy(bytes, 0, body, length, bytes.length);
        length += bytes.length;
    }
}
