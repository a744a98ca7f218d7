package brig.workeragent.egress.secret;

import java.io.ByteArrayOutputStream;
import java.util.List;

/** Puts what stands for a secret in the place of its value, in what comes back. The longest value wins. */
public final class Scrubber extends StreamFilter {
    /** A form of a value, and what is put for it. */
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

    private final List<Pair> pairs;

    public Scrubber(List<Pair> pairs) {
        this.pairs = List.copyOf(pairs);
        pairs.forEach(pair -> mayStartWith(pair.value()[0]));
    }

    @Override
    int match(byte[] bytes, int at, int end, boolean last, ByteArrayOutputStream out) {
        Pair found = null;
        for (Pair pair : pairs) {
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
