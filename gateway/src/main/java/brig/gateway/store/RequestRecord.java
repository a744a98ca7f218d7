package brig.gateway.store;

import org.jspecify.annotations.Nullable;

/**
 * A request that its captain may repeat.
 *
 * @param fingerprint tells this request from others under the same key
 * @param spawnId what came of it
 * @param createdMs when it was asked first, milliseconds since 1970
 * @param answer what was answered, as JSON and without tokens; null where nothing was yet
 */
public record RequestRecord(
        Key key,
        String fingerprint,
        String spawnId,
        long createdMs,
        @Nullable String answer) {
    /** What a request id counts within, and the id. */
    public record Key(String provider, String project, String requestId) {}

    /** A request that nothing came of yet. */
    public static RequestRecord asked(Key key, String fingerprint, long createdMs) {
        return new RequestRecord(key, fingerprint, "", createdMs, null);
    }

    /** The same, and the spawn that is started for it. */
    public RequestRecord by(String newSpawnId) {
        return new RequestRecord(key, fingerprint, newSpawnId, createdMs, answer);
    }
}
