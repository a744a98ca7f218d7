package brig.gateway.store;

import org.jspecify.annotations.Nullable;

/**
 * An idempotent request.
 *
 * @param fingerprint distinguishes it from other requests under the same key
 * @param spawnId the resulting spawn
 * @param createdMs when it was first made, milliseconds since 1970
 * @param answer the answer as JSON, without tokens; null if there is none yet
 */
public record RequestRecord(
        Key key,
        String fingerprint,
        String spawnId,
        long createdMs,
        @Nullable String answer) {
    /** The request id and its scope. */
    public record Key(String provider, String project, String requestId) {}

    /** A request without a result yet. */
    public static RequestRecord asked(Key key, String fingerprint, long createdMs) {
        return new RequestRecord(key, fingerprint, "", createdMs, null);
    }

    /** A copy with the spawn that is started for it. */
    public RequestRecord by(String newSpawnId) {
        return new RequestRecord(key, fingerprint, newSpawnId, createdMs, answer);
    }
}
