package brig.gateway.tree;

import brig.protocol.Limits;
import brig.protocol.frame.Frame;
import brig.protocol.frame.TokenUsage;
import org.jspecify.annotations.Nullable;

/** The total usage of an agent. A sum saturates at the largest integer that every JSON parser holds exactly. */
final class TokenCount {
    private boolean any;
    private long input;
    private long output;
    private long cached;
    private double cost;
    private boolean hasCost;

    /** Adds a {@code usage} frame. */
    void add(Frame.Usage usage) {
        any = true;
        input = sum(input, usage.inputTokens());
        output = sum(output, usage.outputTokens());
        cached = sum(cached, usage.cachedInputTokens());
        if (usage.cost() != null && usage.cost() >= 0) {
            hasCost = true;
            cost = Math.min(cost + usage.cost(), Limits.SEQ_MAX);
        }
    }

    /** Adds another usage. */
    void add(TokenCount other) {
        any |= other.any;
        input = sum(input, other.input);
        output = sum(output, other.output);
        cached = sum(cached, other.cached);
        hasCost |= other.hasCost;
        cost = Math.min(cost + other.cost, Limits.SEQ_MAX);
    }

    /** The same, with the other's cost if it has none. */
    TokenCount orAtCostOf(TokenCount other) {
        if (hasCost || !other.hasCost) {
            return this;
        }
        TokenCount priced = new TokenCount();
        priced.add(this);
        priced.hasCost = true;
        priced.cost = other.cost;
        return priced;
    }

    private static long sum(long one, @Nullable Long other) {
        return other == null ? one : Math.min(one + other, Limits.SEQ_MAX);
    }

    boolean isEmpty() {
        return !any;
    }

    /** The sum; null if nothing was counted. */
    @Nullable
    TokenUsage usage() {
        return any ? new TokenUsage(input, output, cached, hasCost ? Math.rint(cost * 1e6) / 1e6 : null) : null;
    }
}
