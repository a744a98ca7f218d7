package brig.gateway.store;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Keeps spawns. Calls return at once and take effect in their order; what they return completes on the event loop. */
public interface SpawnStore {
    /** Writes the record, new or changed. Completes when it would survive the death of this process. */
    CompletionStage<Void> save(SpawnRecord spawn);

    /** All records, oldest first. */
    CompletionStage<List<SpawnRecord>> load();

    /** Finishes what was asked for and closes. Blocks; called when the event loop has stopped. */
    void close();
}
