package brig.formats.acp;

import brig.protocol.frame.TokenUsage;
import org.jspecify.annotations.Nullable;

/**
 * The model calls of OpenCode's own session, of which ACP tells the last one of a turn alone, and its bus each. The two
 * come independently of each other, so the last call may be told at the end of the turn before its event comes.
 */
final class OpenCodeCalls {
    private @Nullable TokenUsage sum;
    private @Nullable TokenUsage newest;
    /** A call that ACP told of, and whose event is still to come. */
    private @Nullable TokenUsage ahead;

    void add(TokenUsage call) {
        if (ahead != null && ahead.hasTokensOf(call)) {
            ahead = null;
            return;
        }
        sum = sum == null ? call : sum.plus(call);
        newest = call;
    }

    /** All calls of the turn that is over now, with the cost that ACP tells. */
    @Nullable
    TokenUsage turn(@Nullable TokenUsage last) {
        TokenUsage whole = sum;
        boolean known = last != null && newest != null && newest.hasTokensOf(last);
        if (last != null) {
            TokenUsage told = whole == null || known ? whole : whole.plus(last);
            whole = told == null ? last : told.at(last.cost());
        }
        ahead = known ? null : last;
        sum = null;
        newest = null;
        return whole;
    }
}
