package brig.egress.budget;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Money as people and prices have it, and as purses count it. */
public final class Money {
    private static final double NANOS = 1e9;
    private static final int DIGITS = 9;
    /** Far above what one request costs, far below where sums end. */
    private static final double USD_MAX = 1e6;

    private Money() {}

    /** Rounded to the nearest billionth. */
    public static long nanos(double usd) {
        return Math.round(Math.min(usd, USD_MAX) * NANOS);
    }

    /** The same, never less. */
    public static long nanosUp(double usd) {
        return (long) Math.ceil(Math.min(usd, USD_MAX) * NANOS);
    }

    static @Nullable Double usd(@Nullable Long nanos) {
        return nanos == null
                ? null
                : (Double) BigDecimal.valueOf(nanos).movePointLeft(DIGITS).doubleValue();
    }

    /**
     * What does not fit into a purse, in percent. Some agents take any 429 or 500 in a text for the status of a server that
     * is to be asked again, so no number of it has three digits but 100.
     */
    static String room(PurseView purse, Amount most) {
        Limit limit = purse.limit();
        List<String> words = new ArrayList<>();
        add(
                words,
                "its money",
                limit.nanos(),
                purse.used().nanos(),
                purse.reserved().nanos(),
                most.nanos());
        add(
                words,
                "its tokens",
                limit.tokens(),
                purse.used().tokens(),
                purse.reserved().tokens(),
                most.tokens());
        add(
                words,
                "its traffic",
                limit.bytes(),
                purse.used().bytes(),
                purse.reserved().bytes(),
                most.bytes());
        return String.join("; ", words);
    }

    private static void add(
            List<String> words, String what, @Nullable Long limit, long used, long reserved, long most) {
        if (limit == null || used + reserved + most <= limit) {
            return;
        }
        words.add(percent(used, limit) + " of " + what + " is used up, "
                + (reserved == 0 ? "" : percent(reserved, limit) + " is reserved for requests under way, ")
                + "and this may take " + percent(most, limit));
    }

    private static String percent(long part, long whole) {
        long percent = Math.round(100.0 * part / Math.max(1, whole));
        return percent > 100 ? "more than 100 %" : percent + " %";
    }
}
