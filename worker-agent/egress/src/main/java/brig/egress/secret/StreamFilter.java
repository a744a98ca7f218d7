package brig.egress.secret;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/**
 * Replaces patterns in a stream of bytes, also across chunk boundaries. A possible beginning of a pattern waits for the
 * next bytes; everything else passes at once. State is owned by one thread.
 */
public abstract class StreamFilter {
    /** Result of {@link #match}: more bytes are needed. */
    static final int UNDECIDED = -1;

    private static final byte[] NOTHING = {};

    private final boolean[] starts = new boolean[256];
    /** The first two bytes of all patterns, one bit per pair: it skips most of a text. */
    private final long[] pairs = new long[(1 << 16) / Long.SIZE];

    private byte[] held = NOTHING;

    /** Adds the beginning of a pattern: at least two bytes. */
    final void mayStartWith(byte[] piece) {
        starts[piece[0] & 0xff] = true;
        int pair = pair(piece, 0);
        pairs[pair / Long.SIZE] |= 1L << pair;
    }

    private static int pair(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << Byte.SIZE | (bytes[at + 1] & 0xff);
    }

    private boolean mayStartAt(byte[] bytes, int at) {
        if (!starts[bytes[at] & 0xff] || at + 1 == bytes.length) {
            return starts[bytes[at] & 0xff];
        }
        int pair = pair(bytes, at);
        return (pairs[pair / Long.SIZE] & 1L << pair) != 0;
    }

    /**
     * Matches a pattern at {@code at}.
     *
     * @param last whether the stream ends at {@code end}; UNDECIDED is then not allowed
     * @return the length of the match, whose replacement was written; 0 for none; or UNDECIDED
     */
    abstract int match(byte[] bytes, int at, int end, boolean last, ByteArrayOutputStream out);

    /** Takes the next bytes. @return the output so far */
    public final byte[] feed(byte[] bytes) {
        return run(bytes, false);
    }

    /** Ends the stream. @return the rest of the output */
    public final byte[] finish() {
        return run(NOTHING, true);
    }

    /** Filters a whole text. */
    public final byte[] whole(byte[] bytes) {
        return run(bytes, true);
    }

    private byte[] run(byte[] fresh, boolean last) {
        byte[] bytes = held.length == 0 ? fresh : join(held, fresh);
        held = NOTHING;
        ByteArrayOutputStream out = null;
        ByteArrayOutputStream piece = new ByteArrayOutputStream(0);
        int copied = 0;
        int at = 0;
        while (at < bytes.length) {
            if (!mayStartAt(bytes, at)) {
                at++;
                continue;
            }
            int length = match(bytes, at, bytes.length, last, piece);
            if (length == UNDECIDED) {
                held = Arrays.copyOfRange(bytes, at, bytes.length);
                break;
            }
            if (length > 0) {
                out = out == null ? new ByteArrayOutputStream(bytes.length) : out;
                out.write(bytes, copied, at - copied);
                out.writeBytes(piece.toByteArray());
                piece.reset();
                at += length;
                copied = at;
            } else {
                at++;
            }
        }
        if (out == null) {
            return at == bytes.length ? bytes : Arrays.copyOf(bytes, at);
        }
        out.write(bytes, copied, at - copied);
        return out.toByteArray();
    }

    private static byte[] join(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    /** Compares {@code piece} with the bytes at {@code at}: its length, 0, or UNDECIDED if the bytes end within it. */
    static int compare(byte[] piece, byte[] bytes, int at, int end) {
        int common = Math.min(piece.length, end - at);
        if (!Arrays.equals(piece, 0, common, bytes, at, at + common)) {
            return 0;
        }
        return common == piece.length ? common : UNDECIDED;
    }
}
