package brig.mcp;

import brig.protocol.BrigException;
import brig.protocol.Limits;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A place in a stream as a tool's argument.
 *
 * @param next the number of the first frame that was not read
 * @param epoch the epoch of the stream; null if it is not known
 */
record Cursor(long next, @Nullable String epoch) {
    static final Cursor BEGINNING = new Cursor(1, null);

    private static final Pattern FORM = Pattern.compile("(\\d{1,16})(?:@([A-Za-z0-9_-]{1,128}))?");

    /** @throws BrigException {@code INVALID_FIELD} */
    static Cursor of(@Nullable String text) {
        if (text == null) {
            return BEGINNING;
        }
        Matcher form = FORM.matcher(text);
        long next = form.matches() ? Long.parseLong(form.group(1)) : 0;
        if (next < 1 || next > Limits.SEQ_MAX) {
            throw BrigException.invalid("cursor", "must be one that an earlier result has");
        }
        return new Cursor(next, form.group(2));
    }

    /** Whether the stream of that epoch is another one. */
    boolean isOfAnother(String stream) {
        return epoch != null && !epoch.equals(stream);
    }

    @Override
    public String toString() {
        return epoch == null ? String.valueOf(next) : next + "@" + epoch;
    }
}
