package brig.protocol.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A chunk frame in the form in which the worker-agent writes it: {@code type}, {@code seq} and {@code ts} first, {@code
 * content} last. It is read in place; the content stays as it is escaped, since escaped texts can be joined.
 */
public final class ChunkLine {
    private static final String HEAD = "{\"type\":\"chunk\",\"seq\":";
    private static final String FROM = ",\"from\":";
    private static final String TIME = ",\"ts\":";
    private static final String CONTENT = ",\"content\":\"";
    private static final String TAIL = "\"}\n";
    /** More are no number of the protocol. */
    private static final int DIGITS_MAX = 16;

    private final byte[] bytes;
    private final int start;
    private final long seq;
    private final long ts;
    /** Where the fields between time and content begin: what the text belongs to. */
    private final int owner;

    private final int content;
    private final int end;

    private ChunkLine(byte[] bytes, int start, long seq, long ts, int owner, int content, int end) {
        this.bytes = bytes;
        this.start = start;
        this.seq = seq;
        this.ts = ts;
        this.owner = owner;
        this.content = content;
        this.end = end;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads a line with its newline.
     *
     * @return null for a frame of another type or form. It refers to the array.
     */
    public static @Nullable ChunkLine read(byte[] bytes, int offset, int length) {
        int limit = offset + length;
        int seq = skip(HEAD, bytes, offset, limit);
        int seqEnd = digitsEnd(bytes, seq, limit);
        int ts = skip(TIME, bytes, seqEnd, limit);
        int owner = digitsEnd(bytes, ts, limit);
        int content = skip(CONTENT, bytes, find(CONTENT, bytes, owner, limit), limit);
        int end = textEnd(bytes, content, limit);
        return end < 0 || skip(TAIL, bytes, end, limit) != limit
                ? null
                : new ChunkLine(
                        bytes, offset, number(bytes, seq, seqEnd), number(bytes, ts, owner), owner, content, end);
    }

    /** The position after what is expected there; -1 if something else is. */
    private static int skip(String expected, byte[] bytes, int at, int limit) {
        int end = at + expected.length();
        if (at < 0 || end > limit) {
            return -1;
        }
        for (int i = 0; i < expected.length(); i++) {
            if (bytes[at + i] != expected.charAt(i)) {
                return -1;
            }
        }
        return end;
    }

    private static int digitsEnd(byte[] bytes, int from, int limit) {
        int at = from;
        while (at >= 0 && at < limit && bytes[at] >= '0' && bytes[at] <= '9') {
            at++;
        }
        return at > from && at - from <= DIGITS_MAX ? at : -1;
    }

    private static long number(byte[] bytes, int from, int end) {
        long number = 0;
        for (int i = from; i < end; i++) {
            number = number * 10 + bytes[i] - '0';
        }
        return number;
    }

    private static int find(String wanted, byte[] bytes, int from, int limit) {
        for (int at = from; at >= 0 && at < limit; at++) {
            if (skip(wanted, bytes, at, limit) > 0) {
                return at;
            }
        }
        return -1;
    }

    /** The position of the quote that ends the text. */
    private static int textEnd(byte[] bytes, int from, int limit) {
        for (int at = from; at >= 0 && at < limit; at++) {
            if (bytes[at] == '"') {
                return at;
            }
            at += bytes[at] == '\\' ? 1 : 0;
        }
        return -1;
    }

    public long seq() {
        return seq;
    }

    /** Length of the line, in bytes. */
    public int length() {
        return end + TAIL.length() - start;
    }

    /** The line as it was read. */
    public byte[] line() {
        return Arrays.copyOfRange(bytes, start, start + length());
    }

    /** Whether it is more of the same text: of the same agent and tool, on the same stream, within that time. */
    public boolean continues(ChunkLine first, long withinMs) {
        return ts >= first.ts
                && ts - first.ts <= withinMs
                && Arrays.equals(bytes, owner, content, first.bytes, first.owner, first.content);
    }

    /** Appends the content, as it is escaped. @return the position after it */
    public int copyContent(byte[] to, int at) {
        System.arraycopy(bytes, content, to, at, end - content);
        return at + end - content;
    }

    /**
     * This frame with the content of several, of which it is the last. It is no longer than they are together.
     *
     * @param from the number of the first
     */
    public byte[] merged(long from, byte[] contents, int length) {
        byte[] head = ascii(HEAD + seq + FROM + from + TIME + ts);
        ByteBuffer line = ByteBuffer.allocate(head.length + content - owner + length + TAIL.length());
        return line.put(head)
                .put(bytes, owner, content - owner)
                .put(contents, 0, length)
                .put(ascii(TAIL))
                .array();
    }
}
