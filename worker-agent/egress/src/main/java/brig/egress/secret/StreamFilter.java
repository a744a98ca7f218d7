package brig.egress.secret;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/**
 * Replaces pieces of a stream of bytes wherever it was cut. What might be the beginning of a piece waits for
 * the next bytes; everything else goes on at once. State is owned by one thread.
 */
public abstract class StreamFilter {
    /** Of {@link #match}: more bytes are needed to tell. */
    static final int UNDECIDED = -1;

    private static final byte[] NOTHING = {};

    private final boolean[] starts = new boolean[256];
    /** The first two bytes of a piece, a bit for each pair: most of a text is passed over by these. */
    private final long[] pairs = new long[(1 << 16) / Long.SIZE];

    private byte[] held = NOTHING;

    /** Says what a piece may begin with: at least two bytes. */
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
     * Looks for a piece at {@code at}.
     *
     * @param last whether the stream ends at {@code end}, so that nothing may stay undecided
     * @return the length of the piece, whose replacement was written; 0 where there is none; UNDECIDED
     */
    abstract int match(byte[] bytes, int at, int end, boolean last, ByteArrayOutputStream out);

    /** Takes the next bytes. @return what goes on now */
    public final byte[] feed(byte[] bytes) {
        return run(bytes, false);
    }

    /** The stream has ended. @return what was held back */
    public final byte[] finish() {
        return run(NOTHING, true);
    }

    /** A whole text at once. */
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

    /** Whether {@code piece} stands at {@code at}: its length, 0, or UNDECIDED where the bytes end in it. */
    static int compare(byte[] piece, byte[] bytes, int at, int end) {
        int common = Math.min(piece.length, end - at);
        if (!Arrays.equals(piece, 0, common, bytes, at, at + common)) {
            return 0;
        }
        return common == piece.length ? common : UNDECIDED;
    }
}
