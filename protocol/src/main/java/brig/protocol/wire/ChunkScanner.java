package brig.protocol.wire;

import brig.protocol.Limits;
import brig.protocol.json.Utf8;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Scans a buffer in place for consecutively numbered chunk frames in the exact form that the worker-agent writes,
 * {@code {"type":"chunk","seq":7,…}}, which dominate a busy stream. It stops at anything else and leaves it to {@link
 * FrameDecoder}. It accepts nothing that the decoder refuses: no overlong line, NUL or invalid UTF-8.
 *
 * <p>It processes eight bytes at a time and keeps no state between calls, so one instance serves all streams of a
 * thread.
 *
 * <p>Decision 0022.
 */
public final class ChunkScanner {
    private static final String HEAD = "{\"type\":\"chunk\",\"seq\":";
    private static final int HEAD_BYTES = HEAD.length();
    /** The head as three words of eight bytes, the last of which overlaps. */
    private static final long HEAD_START = longAt(0);

    private static final long HEAD_MIDDLE = longAt(8);
    private static final int HEAD_REST = HEAD_BYTES - Long.BYTES;
    private static final long HEAD_END = longAt(HEAD_REST);
    private static final long HIGHS = 0x8080808080808080L;
    private static final long SPACES = 0x2020202020202020L;
    private static final int LAST_BYTE = 56;
    private static final byte[] NONE = {};

    /** The expected offset of the comma after the next sequence number, from the start of the line. */
    private int comma;
    /** The eight bytes before that comma. */
    private long beforeComma;
    /** Whether the last line examined has bytes above 127. */
    private boolean high;

    private byte[] suspect = NONE;

    private static long longAt(int index) {
        byte[] head = HEAD.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getLong(index);
    }

    /**
     * Scans from {@code from} to {@code end}.
     *
     * @param memory little-endian, so that the first of eight bytes is the lowest
     * @param firstSeq the expected number of the first line
     * @param ends receives the end of each line, after its newline
     * @param count how many entries of {@code ends} are in use; new ones are added up to its length
     * @return how many entries are in use now
     */
    public int scan(ByteBuffer memory, int from, int end, long firstSeq, int[] ends, int count) {
        assert memory.order() == ByteOrder.LITTLE_ENDIAN : "what is looked for is";
        int found = count;
        int at = from;
        long seq = firstSeq;
        expect(seq);
        while (found < ends.length && seq <= Limits.SEQ_MAX && isNext(memory, at, end, seq)) {
            int newline = endOfLine(memory, at + comma, end);
            if (newline < 0
                    || memory.get(newline - 1) != '}'
                    || newline - at >= Limits.FRAME_BYTES_MAX
                    || (high && !isValidUtf8(memory, at, newline))) {
                break;
            }
            at = newline + 1;
            ends[found++] = at;
            seq++;
            expectNext(seq);
        }
        return found;
    }

    private boolean isNext(ByteBuffer memory, int at, int end, long seq) {
        return end - at > comma
                && memory.get(at + comma) == ','
                && ((memory.getLong(at) ^ HEAD_START)
                                | (memory.getLong(at + Long.BYTES) ^ HEAD_MIDDLE)
                                | (memory.getLong(at + HEAD_REST) ^ HEAD_END)
                                | (memory.getLong(at + comma - Long.BYTES) ^ beforeComma))
                        == 0
                && (comma - HEAD_BYTES <= Long.BYTES || isNextLong(memory, at, seq));
    }

    /** Whether the digits before the last eight match too. */
    private boolean isNextLong(ByteBuffer memory, int at, long seq) {
        long rest = seq / 100_000_000;
        for (int i = at + comma - Long.BYTES - 1; i >= at + HEAD_BYTES; i--) {
            if (memory.get(i) != '0' + rest % 10) {
                return false;
            }
            rest /= 10;
        }
        return rest == 0;
    }

    /** Increments the digits before the comma, last to first: a division would cost more than all the rest. */
    private void expectNext(long seq) {
        int shift = LAST_BYTE;
        while (shift > 0 && ((beforeComma >>> shift) & 0xff) == '9') {
            beforeComma -= 9L << shift;
            shift -= Byte.SIZE;
        }
        long digit = (beforeComma >>> shift) & 0xff;
        if (digit >= '0' && digit < '9') {
            beforeComma += 1L << shift;
        } else {
            expect(seq);
        }
    }

    private void expect(long seq) {
        long unit = 1;
        int digits = 1;
        while (seq / unit >= 10) {
            unit *= 10;
            digits++;
        }
        long last = HEAD_END;
        for (; unit > 0; unit /= 10) {
            last = (last >>> 8) | (('0' + seq / unit % 10) << LAST_BYTE);
        }
        comma = HEAD_BYTES + digits;
        beforeComma = last;
    }

    /** The position of the newline; -1 for none, or a NUL before it. Records whether bytes above 127 occur. */
    private int endOfLine(ByteBuffer memory, int from, int end) {
        high = false;
        int at = from;
        while (true) {
            at = skipPrintable(memory, at, end);
            if (at == end) {
                return -1;
            }
            byte b = memory.get(at);
            if (b == '\n' || b == 0) {
                return b == 0 ? -1 : at;
            }
            high |= b < 0;
            at++;
        }
    }

    /** The position of the next byte that is a control character or above 127, or {@code end}. */
    private static int skipPrintable(ByteBuffer memory, int from, int end) {
        int at = from;
        for (; at + 2 * Long.BYTES <= end; at += 2 * Long.BYTES) {
            long first = marks(memory.getLong(at));
            long second = marks(memory.getLong(at + Long.BYTES));
            if ((first | second) != 0) {
                return at
                        + ((first != 0
                                        ? Long.numberOfTrailingZeros(first)
                                        : Long.SIZE + Long.numberOfTrailingZeros(second))
                                >>> 3);
            }
        }
        while (at < end && memory.get(at) >= ' ') {
            at++;
        }
        return at;
    }

    /** Marks, in their high bits, bytes below a space or above 127. Only the lowest mark is reliable. */
    private static long marks(long word) {
        return ((word - SPACES) | word) & HIGHS;
    }

    private boolean isValidUtf8(ByteBuffer memory, int from, int to) {
        if (suspect.length < to - from) {
            suspect = new byte[Limits.FRAME_BYTES_MAX];
        }
        memory.get(from, suspect, 0, to - from);
        return Utf8.isValid(suspect, 0, to - from);
    }
}
