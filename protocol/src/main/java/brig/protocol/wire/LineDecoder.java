package brig.protocol.wire;

import brig.protocol.ErrorCode;
import brig.protocol.json.Utf8;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Splits a byte stream into lines, independent of read boundaries, and accepts only bounded, valid UTF-8 without NUL. A
 * bad line is reported once and skipped up to its newline; later lines are unaffected. Empty lines are ignored, also
 * those that end with CR LF.
 *
 * <p>A line within one read is passed on in place; only a line that spans reads is copied. The scan processes eight
 * bytes at a time and looks for newlines, NULs and bytes above 127. Not thread-safe: one thread owns it.
 */
public final class LineDecoder {
    /** Receives the results, in order. */
    public interface Sink {
        /** A valid line of {@code length} bytes, followed by its newline. Valid during the call only. */
        void handleLine(byte[] bytes, int offset, int length);

        /** A line was refused with {@code LINE_TOO_LONG}, {@code INVALID_UTF8} or {@code NUL_BYTE}. */
        void handleBadLine(ErrorCode code);
    }

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long HIGHS = 0x8080808080808080L;
    private static final long SPACES = 0x2020202020202020L;
    private static final int CARRY_BYTES_MIN = 256;

    private final int lineBytesMax;
    private final Sink sink;
    /** The beginning of a line that has no newline yet. */
    private byte[] carry = new byte[0];

    private int carryLength;
    /** The current line was refused; skip to its newline. */
    private boolean skipping;
    /** The current line has a NUL or a byte above 127: validate it when it is complete. */
    private boolean suspicious;

    /** @param lineBytesMax maximum length of a line, in bytes, including its newline */
    public LineDecoder(int lineBytesMax, Sink sink) {
        this.lineBytesMax = lineBytesMax;
        this.sink = sink;
    }

    /** Processes the next bytes of the stream. */
    public void decode(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int start = offset;
        for (int newline = scan(bytes, start, end); newline >= 0; newline = scan(bytes, start, end)) {
            finishLine(bytes, start, newline - start);
            start = newline + 1;
        }
        keep(bytes, start, end - start);
    }

    /** Whether the next byte begins a line. */
    boolean isAtLineStart() {
        return carryLength == 0 && !skipping;
    }

    /** Length of the unfinished line, in bytes. */
    public int pendingBytes() {
        return carryLength;
    }

    /** The position of the next newline, or -1; also records whether the line is suspicious. */
    private int scan(byte[] bytes, int from, int end) {
        int at = from;
        while (true) {
            at = skipPrintable(bytes, at, end);
            if (at == end) {
                return -1;
            }
            byte b = bytes[at];
            if (b == '\n') {
                return at;
            }
            suspicious |= b <= 0;
            at++;
        }
    }

    /** The position of the next byte that is a control character or above 127, or {@code end}. */
    private static int skipPrintable(byte[] bytes, int from, int end) {
        int at = from;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            long word = (long) LONGS.get(bytes, at);
            // A subtraction marks bytes below a space. A borrow can only falsify higher marks: the lowest mark is
            // reliable.
            long marks = ((word - SPACES) | word) & HIGHS;
            if (marks != 0) {
                return at + (Long.numberOfTrailingZeros(marks) >>> 3);
            }
        }
        while (at < end && bytes[at] >= ' ') {
            at++;
        }
        return at;
    }

    private void keep(byte[] bytes, int offset, int length) {
        if (skipping) {
            return;
        }
        if (carryLength + length >= lineBytesMax) {
            refuse(ErrorCode.LINE_TOO_LONG);
            return;
        }
        if (carryLength + length > carry.length) {
            int wanted = Math.max(CARRY_BYTES_MIN, Math.max(carryLength + length, carry.length * 2));
            carry = Arrays.copyOf(carry, Math.min(wanted, lineBytesMax));
        }
        System.arraycopy(bytes, offset, carry, carryLength, length);
        carryLength += length;
    }

    private void finishLine(byte[] bytes, int offset, int length) {
        if (skipping) {
            skipping = false;
        } else if (carryLength + length + 1 > lineBytesMax) {
            sink.handleBadLine(ErrorCode.LINE_TOO_LONG);
        } else if (carryLength == 0) {
            deliver(bytes, offset, length);
        } else {
            byte[] whole = Arrays.copyOf(carry, carryLength + length + 1);
            System.arraycopy(bytes, offset, whole, carryLength, length + 1);
            deliver(whole, 0, whole.length - 1);
        }
        carryLength = 0;
        suspicious = false;
        if (carry.length > CARRY_BYTES_MIN) {
            carry = new byte[0];
        }
    }

    private void deliver(byte[] bytes, int offset, int length) {
        if (length == 0 || (length == 1 && bytes[offset] == '\r')) {
            return;
        }
        if (suspicious) {
            for (int i = offset; i < offset + length; i++) {
                if (bytes[i] == 0) {
                    sink.handleBadLine(ErrorCode.NUL_BYTE);
                    return;
                }
            }
            if (!Utf8.isValid(bytes, offset, length)) {
                sink.handleBadLine(ErrorCode.INVALID_UTF8);
                return;
            }
        }
        sink.handleLine(bytes, offset, length);
    }

    private void refuse(ErrorCode code) {
        skipping = true;
        carryLength = 0;
        carry = new byte[0];
        sink.handleBadLine(code);
    }
}
