package brig.egress.secret;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;

/** Replaces secrets by placeholders in answers. The longest value takes precedence. */
public final class Scrubber extends StreamFilter {
    /** A form of a value and its replacement. */
    public static final class Pair {
        private final byte[] value;
        private final byte[] instead;

        Pair(byte[] value, byte[] instead) {
            this.value = value;
            this.instead = instead;
        }

        byte[] value() {
            return value;
        }
    }

    /** Pairs by the first byte of the value. */
    private final Pair[][] pairs = new Pair[256][];

    public Scrubber(List<Pair> pairs) {
        for (Pair pair : pairs) {
            int first = pair.value()[0] & 0xff;
            Pair[] same = this.pairs[first] == null ? new Pair[0] : this.pairs[first];
            this.pairs[first] = Arrays.copyOf(same, same.length + 1);
            this.pairs[first][same.length] = pair;
            mayStartWith(pair.value());
        }
    }

    @Override
    int match(byte[] bytes, int at, int end, boolean last, ByteArrayOutputStream out) {
        Pair found = null;
        for (Pair pair : pairs[bytes[at] & 0xff]) {
            int length = compare(pair.value(), bytes, at, end);
            if (length == UNDECIDED && !last) {
                return UNDECIDED;
            }
            if (length > 0 && (found == null || length > found.value().length)) {
                found = pair;
            }
        }
        if (found == null) {
            return 0;
        }
        out.writeBytes(found.instead);
        return found.value().length;
    }
}
