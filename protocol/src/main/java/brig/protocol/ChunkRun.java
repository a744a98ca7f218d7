package brig.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Chunk frames that follow one another in number and in memory. Their lines lie end to end in one array, each with its
 * newline, and are whole. Filled by {@link FrameDecoder}, and valid while it hands it on: empty between two calls of it,
 * so all decoders of a thread can share one.
 */
public final class ChunkRun {
    private static final String HEAD = "{\"type\":\"chunk\",\"seq\":";
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    /** The head as three numbers of eight bytes, of which the last overlaps. */
    private static final long HEAD_START = longOf(HEAD.substring(0, 8));
    private static final long HEAD_MIDDLE = longOf(HEAD.substring(8, 16));
    private static final int HEAD_REST = HEAD.length() - Long.BYTES;
    private static final long HEAD_END = longOf(HEAD.substring(HEAD_REST));
    private static final byte[] NONE = {};
    private static final int FRAMES_MAX = 2048;

    private byte[] bytes = NONE;
    private int offset;
    private long firstSeq;
    private int count;
    private final int[] ends = new int[FRAMES_MAX];
    /** Where the comma behind the next frame's number has to be. */
    private int comma;
    /** The eight bytes before that comma. */
    private long beforeComma;

    private static long longOf(String eight) {
        return (long) LONGS.get(eight.getBytes(StandardCharsets.US_ASCII), 0);
    }

    /** The number of the first frame. */
    public long firstSeq() {
        return firstSeq;
    }

    public int count() {
        return count;
    }

    /** The array that holds all lines. */
    public byte[] bytes() {
        return bytes;
    }

    /** Where line {@code index} begins in the array. */
    public int start(int index) {
        return index == 0 ? offset : ends[index - 1];
    }

    /** Where line {@code index} ends, behind its newline. */
    public int end(int index) {
        return ends[index];
    }

    void clear() {
        count = 0;
    }

    void begin(long seq, byte[] line, int lineOffset, int length) {
        bytes = line;
        offset = lineOffset;
        firstSeq = seq;
        ends[count++] = lineOffset + length + 1;
        expect(seq + 1);
    }

    /** Adds the line if it is the chunk that comes next and lies where the run ends. */
    boolean extend(byte[] line, int lineOffset, int length) {
        if (!isRoomAt(line, lineOffset) || !isNext(line, lineOffset, lineOffset + length)
                || line[lineOffset + length - 1] != '}') {
            return false;
        }
        add(lineOffset + length + 1);
        return true;
    }

    /**
     * Adds what follows as long as it is plain: the chunks that come next, of printable ASCII, each with its newline.
     *
     * @return where the first byte lies that was not added
     */
    int extendPlain(byte[] line, int from, int end) {
        int at = from;
        while (isRoomAt(line, at) && isNext(line, at, end)) {
            int newline = LineDecoder.skipPrintable(line, at + comma, end);
            if (newline == end || line[newline] != '\n' || line[newline - 1] != '}'
                    || newline - at >= Limits.FRAME_BYTES_MAX) {
                break;
            }
            at = newline + 1;
            add(at);
        }
        return at;
    }

    private boolean isRoomAt(byte[] line, int lineOffset) {
        return count > 0 && count < FRAMES_MAX && line == bytes && lineOffset == ends[count - 1]
                && firstSeq + count <= Limits.SEQ_MAX;
    }

    private boolean isNext(byte[] line, int at, int end) {
        return end - at > comma && line[at + comma] == ','
                && (long) LONGS.get(line, at) == HEAD_START
                && (long) LONGS.get(line, at + Long.BYTES) == HEAD_MIDDLE
                && (long) LONGS.get(line, at + HEAD_REST) == HEAD_END
                && (long) LONGS.get(line, at + comma - Long.BYTES) == beforeComma
                && (comma - HEAD.length() <= Long.BYTES || isNextLong(line, at));
    }

    /** The digits before the last eight. */
    private boolean isNextLong(byte[] line, int at) {
        String digits = Long.toString(firstSeq + count);
        for (int i = 0; i < digits.length() - Long.BYTES; i++) {
            if (line[at + HEAD.length() + i] != digits.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private void add(int end) {
        ends[count++] = end;
        if ((beforeComma & 0xff) == '9') {
            expect(firstSeq + count);
        } else {
            beforeComma++;
        }
    }

    private void expect(long seq) {
        String start = HEAD + seq;
        comma = start.length();
        beforeComma = longOf(start.substring(comma - Long.BYTES));
    }
}
