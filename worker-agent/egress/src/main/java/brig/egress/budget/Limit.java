package brig.egress.budget;

import org.jspecify.annotations.Nullable;

/**
 * The limit of a purse; null is none.
 *
 * @param nanos money, in billionths of a US dollar
 */
public record Limit(
        @Nullable Long nanos,
        @Nullable Long tokens,
        @Nullable Long bytes) {
    public static final Limit NONE = new Limit(null, null, null);
    private static final int WHOLE = 100;

    public boolean isNone() {
        return nanos == null && tokens == null && bytes == null;
    }

    boolean allows(Amount total) {
        return within(total.nanos(), nanos) && within(total.tokens(), tokens) && within(total.bytes(), bytes);
    }

    private static boolean within(long count, @Nullable Long limit) {
        return limit == null || count <= limit;
    }

    /** The part that is used up, in percent: of what is used up the most. */
    int percent(Amount used) {
        return Math.max(
                percent(used.nanos(), nanos), Math.max(percent(used.tokens(), tokens), percent(used.bytes(), bytes)));
    }

    private static int percent(long count, @Nullable Long limit) {
        if (limit == null) {
            return 0;
        }
        return count >= limit ? WHOLE : (int) (count * (double) WHOLE / limit);
    }

    /** As much again of what this limits, on top of {@code given}. */
    public Limit again(Limit given) {
        return new Limit(sum(nanos, given.nanos), sum(tokens, given.tokens), sum(bytes, given.bytes));
    }

    private static @Nullable Long sum(@Nullable Long one, @Nullable Long other) {
        return one == null || other == null ? null : (Long) Math.addExact(one, other);
    }
}
