package brig.protocol.api;

import brig.protocol.WireName;
import brig.protocol.record.Extensible;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What became of requests that agents made.
 *
 * @param lastSeq the newest number that there is, whatever was asked for
 * @param complete whether all that was written so far could be looked at
 * @param next the {@code cursor} of the next page, or its {@code after} where that was asked with; null for the last one
 */
@Extensible
public record AuditPage(
        List<Entry> entries,
        long lastSeq,
        boolean complete,
        @Nullable Long next) {
    /** What became of a request. */
    public enum Decision implements WireName {
        ALLOWED,
        BLOCKED,
        /** The policy let it pass, and it came to nothing. */
        FAILED;

        @Override
        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One entry. What does not belong to its kind is null.
     *
     * @param ts milliseconds since 1970
     * @param spawnId whose request it was
     * @param agent name of the agent profile
     * @param kind what the entry is about: {@code http}, {@code connect}, {@code tls_failed}, {@code usage}, …
     * @param agentId the sub-agent that asked
     * @param rule of the policy, by which it was decided
     * @param status what HTTP answered
     * @param secrets names of the secrets that were put in
     * @param lost how many entries were lost before this one
     */
    @Extensible
    public record Entry(
            long seq,
            long ts,
            @Nullable String spawnId,
            @Nullable String agent,
            @Nullable String kind,
            @Nullable String agentId,
            @Nullable String parentId,
            @Nullable String sessionId,
            @Nullable String route,
            @Nullable String model,
            @Nullable Long inputTokens,
            @Nullable Long outputTokens,
            @Nullable Long cachedInputTokens,
            @Nullable String decision,
            @Nullable String method,
            @Nullable String scheme,
            @Nullable String host,
            @Nullable Integer port,
            @Nullable String path,
            @Nullable String rule,
            @Nullable Integer status,
            @Nullable Long requestBytes,
            @Nullable Long responseBytes,
            @Nullable List<String> secrets,
            @Nullable Long durationMs,
            @Nullable Long lost) {}
}
