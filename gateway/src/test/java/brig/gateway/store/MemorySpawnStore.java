package brig.gateway.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** A {@link SpawnStore} in memory, written down and answered on the event loop; fails on demand. */
public final class MemorySpawnStore implements SpawnStore {
    private final Executor loop;
    private final Map<String, SpawnRecord> records = new LinkedHashMap<>();
    private final List<SpawnRecord> saved = new ArrayList<>();
    private boolean broken;

    public MemorySpawnStore(Executor loop) {
        this.loop = loop;
    }

    /** From now on saving fails, or works again. */
    public void setBroken(boolean isBroken) {
        broken = isBroken;
    }

    /** Every record in the order in which it was saved, once for each time. */
    public List<SpawnRecord> saved() {
        return saved;
    }

    @Override
    public CompletionStage<Void> save(SpawnRecord spawn) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        loop.execute(() -> {
            if (broken) {
                result.completeExceptionally(new IOException("database disk image is malformed"));
            } else {
                records.put(spawn.spawnId(), spawn);
                saved.add(spawn);
                result.complete(null);
            }
        });
        return result;
    }

    @Override
    public CompletionStage<List<SpawnRecord>> load() {
        CompletableFuture<List<SpawnRecord>> result = new CompletableFuture<>();
        loop.execute(() -> result.complete(records.values().stream()
                .sorted(Comparator.comparingLong(SpawnRecord::createdMs)).toList()));
        return result;
    }

    @Override
    public void close() {}
}
