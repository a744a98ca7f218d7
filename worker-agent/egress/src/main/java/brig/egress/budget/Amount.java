package brig.egress.budget;

import brig.protocol.record.OmitEmpty;

/**
 * What is used up, or may be. A sum that is too large stays at the largest number.
 *
 * @param nanos money, in billionths of a US dollar
 */
public record Amount(
        @OmitEmpty long nanos,
        @OmitEmpty long tokens,
        @OmitEmpty long bytes) {
    public static final Amount NONE = new Amount(0, 0, 0);

    public Amount {
        if (nanos < 0 || tokens < 0 || bytes < 0) {
            throw new IllegalArgumentException("an amount must not be negative");
        }
    }

    public static Amount ofBytes(long bytes) {
        return new Amount(0, 0, bytes);
    }

    public Amount plus(Amount other) {
        return new Amount(sum(nanos, other.nanos), sum(tokens, other.tokens), sum(bytes, other.bytes));
    }

    Amount minus(Amount part) {
        return new Amount(nanos - part.nanos, tokens - part.tokens, bytes - part.bytes);
    }

    private static long sum(long one, long other) {
        long sum = one + other;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }
}
