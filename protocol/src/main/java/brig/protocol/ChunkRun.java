package brig.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Chunk frames that follow one another in number and in memory. Their lines lie end to end in one array, each with its
 * newline, and are whole. Filled by {@link FrameDecoder}, and valid while it hands it on: empty between two calls of it,
 * so all decoders of a thread can share one.
 */
public final class ChunkRun {
    private static final String HEAD = "{\"type\":\"chunk\",\"seq\":";
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final byte[] NONE = {};
    private static final int FRAMES_MAX = 2048;

    private byte[] bytes = NONE;
    private int offset;
    private long firstSeq;
    private int count;
    private final int[] ends = new int[FRAMES_MAX];
    /** How the next frame of the run has to begin, up to and without the comma; empty until a second one asks. */
    private byte[] next = NONE;

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
        next = NONE;
    }

    void begin(long seq, byte[] line, int lineOffset, int length) {
        bytes = line;
        offset = lineOffset;
        firstSeq = seq;
        ends[count++] = lineOffset + length + 1;
    }

    /** Adds the line if it is the chunk that comes next and lies where the run ends. */
    boolean extend(byte[] line, int lineOffset, int length) {
        if (count == 0 || count == FRAMES_MAX || line != bytes || lineOffset != ends[count - 1]) {
            return false;
        }
        if (next.length == 0) {
            next = (HEAD + (firstSeq + count)).getBytes(StandardCharsets.US_ASCII);
        }
        int head = next.length;
        if (length <= head || line[lineOffset + head] != ',' || line[lineOffset + length - 1] != '}'
                || firstSeq + count > Limits.SEQ_MAX || !startsWith(line, lineOffset, next)) {
            return false;
        }
        ends[count++] = lineOffset + length + 1;
        increment();
        return true;
    }

    /** @param head at least eight bytes, which the line has */
    private static boolean startsWith(byte[] line, int offset, byte[] head) {
        int last = head.length - Long.BYTES;
        for (int i = 0; i < last; i += Long.BYTES) {
            if ((long) LONGS.get(line, offset + i) != (long) LONGS.get(head, i)) {
                return false;
            }
        }
        return (long) LONGS.get(line, offset + last) == (long) LONGS.get(head, last);
    }

    /** Counts on in decimal digits. */
    private void increment() {
        int at = next.length - 1;
        while (next[at] == '9') {
            next[at--] = '0';
        }
        if (next[at] == ':') {
            byte[] longer = Arrays.copyOf(next, next.length + 1);
            longer[at + 1] = '1';
            longer[next.length] = '0';
            next = longer;
        } else {
            next[at]++;
        }
    }
}
