package brig.egress.budget;

import brig.protocol.record.Range;

/**
 * What counts as the most that a request to a model can come to.
 *
 * @param outputTokensMax output of a request that names no limit of its own
 * @param bytesPerToken how many bytes of a request are a token of its input; with 1 no input is ever longer
 * @param storedTokensMax input of a request that goes on from what the provider has stored
 */
public record CallBounds(
        @Range(min = 1, max = TOKENS_MAX) long outputTokensMax,
        @Range(min = 1, max = 64) int bytesPerToken,
        @Range(min = 1, max = TOKENS_MAX) long storedTokensMax) {
    public static final long TOKENS_MAX = 100_000_000;
    public static final CallBounds USUAL = new CallBounds(32_000, 3, 200_000);
}
