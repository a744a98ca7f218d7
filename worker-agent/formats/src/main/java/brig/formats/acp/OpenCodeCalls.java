package brig.formats.acp;

import brig.protocol.frame.TokenUsage;
import org.jspecify.annotations.Nullable;

/**
 * Counts the model calls of OpenCode's own session. ACP reports only the last call of a turn; the bus reports each. The
 * two are unordered: the end of the turn may report the last call before its event arrives.
 */
final class OpenCodeCalls {
    private @Nullable TokenUsage sum;
    private @Nullable TokenUsage newest;
    /** A call that ACP reported and whose event has not arrived yet. */
    private @Nullable TokenUsage ahead;

    void add(TokenUsage call) {
        if (ahead != null && ahead.hasTokensOf(call)) {
            ahead = null;
            return;
        }
        sum = sum == null ? call : sum.plus(call);
        newest = call;
    }

    /** The sum of all calls of the turn that just ended, with ACP's cost. */
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
