package brig.formats.acp;

import brig.formats.adapter.NativeObject;
import brig.formats.adapter.Usage;
import org.jspecify.annotations.Nullable;

/**
 * The model calls of OpenCode's own session, of which ACP tells the last one of a turn alone, and its bus each. The two
 * come independently of each other, so the last call may be told at the end of the turn before its event comes.
 */
final class OpenCodeCalls {
    private @Nullable Usage sum;
    private @Nullable Usage newest;
    /** A call that ACP told of, and whose event is still to come. */
    private @Nullable Usage ahead;

    /** What a part {@code step-finish} says of its call. */
    static Usage usage(NativeObject part) {
        NativeObject tokens = part.object("tokens");
        return new Usage(
                tokens.number("input", 0),
                tokens.number("output", 0),
                tokens.object("cache").number("read", 0),
                part.decimal("cost"));
    }

    void add(Usage call) {
        if (ahead != null && ahead.hasTokensOf(call)) {
            ahead = null;
            return;
        }
        sum = sum == null ? call : sum.plus(call);
        newest = call;
    }

    /** All calls of the turn that is over now, with the cost that ACP tells. */
    @Nullable
    Usage turn(@Nullable Usage last) {
        Usage whole = sum;
        boolean known = last != null && newest != null && newest.hasTokensOf(last);
        if (last != null) {
            Usage told = whole == null || known ? whole : whole.plus(last);
            whole = told == null ? last : told.at(last.cost());
        }
        ahead = known ? null : last;
        sum = null;
        newest = null;
        return whole;
    }
}
