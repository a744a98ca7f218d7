package brig.gateway.host;

import brig.protocol.api.HostState;
import org.jspecify.annotations.Nullable;

/**
 * What a person is told of a link.
 *
 * @param percent of the payload on its way; null for none
 * @param retryAtMs when the next attempt begins; null for none
 */
record LinkStatus(
        HostState state,
        @Nullable Integer percent,
        @Nullable String reason,
        @Nullable String mend,
        @Nullable Long retryAtMs,
        long sinceMs) {
    static LinkStatus of(HostState state, long nowMs) {
        return new LinkStatus(state, null, null, null, null, nowMs);
    }

    LinkStatus withPercent(@Nullable Integer done) {
        return new LinkStatus(state, done, reason, mend, retryAtMs, sinceMs);
    }

    LinkStatus because(@Nullable String why, @Nullable String remedy) {
        return new LinkStatus(state, percent, why, remedy, retryAtMs, sinceMs);
    }

    LinkStatus retryingAt(long atMs) {
        return new LinkStatus(state, percent, reason, mend, atMs, sinceMs);
    }
}
