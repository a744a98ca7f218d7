package brig.gateway.store;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Keeps spawns and the requests that led to them. Calls return at once and take effect in their order; what they return
 * completes on the event loop, when it would survive the death of this process. A store that is of a later version of
 * Brig can only be read: everything that writes fails with {@code RECORD_LOST}.
 */
public interface SpawnStore {
    /** Writes the record, new or changed. Several spawns may have one session_id: an agent goes on where it was. */
    CompletionStage<Void> save(SpawnRecord spawn);

    /**
     * Writes a new spawn together with the request that it answers: both or neither.
     *
     * @return fails with {@code IDEMPOTENCY_CONFLICT} where that key is taken
     */
    CompletionStage<Void> begin(SpawnRecord spawn, RequestRecord request);

    /** The request with that key. */
    CompletionStage<Optional<RequestRecord>> find(RequestRecord.Key key);

    /** Keeps what a request was answered. */
    CompletionStage<Void> answer(RequestRecord.Key key, String answer);

    /** Frees the key: nothing came of the request, and it may come again. */
    CompletionStage<Void> forget(RequestRecord.Key key);

    /** Frees the keys of requests that were asked before that time. */
    CompletionStage<Void> forgetBefore(long createdMs);

    /** All spawns, oldest first. */
    CompletionStage<List<SpawnRecord>> load();

    /** A spawn that is over. */
    record Ended(String spawnId, long endedMs) {}

    /** All spawns that are over, those that ended first in front. */
    CompletionStage<List<Ended>> ended();

    /**
     * Forgets spawns that are over, and notes that their streams are to be deleted. One that is not over stays.
     *
     * @return those that are forgotten
     */
    CompletionStage<List<String>> prune(List<String> spawnIds);

    /** Spawns that are forgotten and whose streams may still be there. */
    CompletionStage<List<String>> pruned();

    /** The streams of those are deleted. */
    CompletionStage<Void> swept(List<String> spawnIds);

    /** Finishes what was asked for and closes. Blocks; called when the event loop has stopped. */
    void close();
}
