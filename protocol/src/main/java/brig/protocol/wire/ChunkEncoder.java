package brig.protocol.wire;

import brig.protocol.Limits;
import brig.protocol.json.Utf8;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encodes the raw output of an agent into the bodies of {@code chunk} frames. Characters are never split, whatever the
 * reads were; malformed UTF-8 becomes U+FFFD, as in a browser; a frame never exceeds {@link Limits#FRAME_BYTES_MAX}.
 * One instance per output stream, owned by the thread that reads it, whose encoders share the memory of a body: most
 * streams are idle. Most output is ASCII that stays as it is; it is found eight bytes at a time and copied in runs.
 *
 * <p>A body is the frame after its sequence number, {@code ,"ts":…,"stream":"stdout","content":"…"}} and a newline. The
 * caller that assigns the number writes the head.
 */
public final class ChunkEncoder {
    /** Receives bodies, in order. The array is valid during the call only, in which nothing else may be encoded. */
    public interface Sink {
        void handleChunkBody(byte[] bytes, int length) throws InterruptedException;
    }

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLACEMENT = "\uFFFD".getBytes(StandardCharsets.UTF_8);
    private static final byte[] TAIL = "\"}\n".getBytes(StandardCharsets.US_ASCII);
    /** Maximum length of a frame's head: its type and the longest sequence number. */
    private static final int HEAD_BYTES_MAX = 64;

    private static final int ESCAPE_BYTES_MAX = 6;

    private static final long HIGHS = 0x8080808080808080L;
    private static final long ONES = HIGHS >>> 7;
    private static final long SPACES = ' ' * ONES;
    private static final long QUOTES = '"' * ONES;
    private static final long BACKSLASHES = '\\' * ONES;

    private static final byte[] NOTHING = {};

    private static final ThreadLocal<byte[]> BODIES =
            ThreadLocal.withInitial(() -> new byte[Limits.FRAME_BYTES_MAX - HEAD_BYTES_MAX]);

    private final String stream;
    private final Sink sink;
    /** The thread's; valid within a call. */
    private byte[] body = NOTHING;

    private int length;
    /** The first bytes of a character that is not complete yet. */
    private byte[] incomplete = NOTHING;

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
            incomplete = NOTHING;
        }
        begin(nowMs);
        int empty = length;
        ByteBuffer words = ByteBuffer.wrap(in).order(ByteOrder.LITTLE_ENDIAN);
        while (at < end) {
            if (room() == 0) {
                emit();
                begin(nowMs);
            }
            int plain = plainLength(words, at, Math.min(end, at + room()));
            if (plain > 0) {
                System.arraycopy(in, at, body, length, plain);
                length += plain;
                at += plain;
                continue;
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
            incomplete = NOTHING;
            begin(nowMs);
            append(REPLACEMENT);
            emit();
        }
    }

    /** For how many bytes there is room, even if the last one becomes an escape. */
    private int room() {
        return Math.max(0, body.length - TAIL.length - ESCAPE_BYTES_MAX + 1 - length);
    }

    /** How many bytes from {@code from} on are ASCII that is not escaped. */
    private static int plainLength(ByteBuffer words, int from, int end) {
        int at = from;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            long marks = marks(words.getLong(at));
            if (marks != 0) {
                return at - from + (Long.numberOfTrailingZeros(marks) >>> 3);
            }
        }
        while (at < end && isPlain(words.get(at))) {
            at++;
        }
        return at - from;
    }

    /** Marks the bytes that are not plain in their high bits. Only the lowest mark is reliable. */
    private static long marks(long word) {
        long quote = word ^ QUOTES;
        long backslash = word ^ BACKSLASHES;
        return (word | (word - SPACES) | (word + ONES) | (quote - ONES) | (backslash - ONES)) & HIGHS;
    }

    private static boolean isPlain(byte b) {
        return b >= ' ' && b != '"' && b != '\\' && b != 0x7f;
    }

    private void begin(long nowMs) {
        body = BODIES.get();
        length = 0;
        append((",\"ts\":" + nowMs + ",\"stream\":\"" + stream + "\",\"content\":\"")
                .getBytes(StandardCharsets.US_ASCII));
    }

    private void emit() throws InterruptedException {
        append(TAIL);
        sink.handleChunkBody(body, length);
    }

    private void put(byte[] in, int at, int character) {
        if (character == 0) {
            append(REPLACEMENT);
        } else if (character > 1) {
            putLong(in, at, character);
        } else {
            putEscaped(in[at]);
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
