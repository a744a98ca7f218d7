package brig.gateway.store;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Persistence of spawns and of the requests that led to them. Calls return at once and take effect in order. Results
 * complete on the event loop, when they would survive the death of this process. A store of a later version of Brig is
 * read-only: every write fails with {@code RECORD_LOST}.
 */
public interface SpawnStore {
    /** Inserts or updates the record. Several spawns may have one session_id, since agents continue their sessions. */
    CompletionStage<Void> save(SpawnRecord spawn);

    /**
     * Inserts a new spawn and its request atomically.
     *
     * @return fails with {@code IDEMPOTENCY_CONFLICT} if the key is taken
     */
    CompletionStage<Void> begin(SpawnRecord spawn, RequestRecord request);

    /** The request with that key. */
    CompletionStage<Optional<RequestRecord>> find(RequestRecord.Key key);

    /** Stores the answer to a request. */
    CompletionStage<Void> answer(RequestRecord.Key key, String answer);

    /** Frees the key after a request without a result; the request may be repeated. */
    CompletionStage<Void> forget(RequestRecord.Key key);

    /** Frees the keys of requests made before that time. */
    CompletionStage<Void> forgetBefore(long createdMs);

    /** All spawns, oldest first. */
    CompletionStage<List<SpawnRecord>> load();

    /** A spawn that has ended. */
    record Ended(String spawnId, long endedMs) {}

    /** All spawns that have ended, earliest end first. */
    CompletionStage<List<Ended>> ended();

    /**
     * Deletes ended spawns and notes that their streams are to be deleted. Others stay.
     *
     * @return the deleted ones
     */
    CompletionStage<List<String>> prune(List<String> spawnIds);

    /** Deleted spawns whose streams may still exist. */
    CompletionStage<List<String>> pruned();

    /** The streams of these spawns were deleted. */
    CompletionStage<Void> swept(List<String> spawnIds);

    /** Completes pending work and closes. Blocks; called when the event loop has stopped. */
    void close();
}
