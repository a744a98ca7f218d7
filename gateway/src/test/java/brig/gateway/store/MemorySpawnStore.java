package brig.gateway.store;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** A {@link SpawnStore} in memory, written down and answered on the event loop; fails on demand. */
public final class MemorySpawnStore implements SpawnStore {
    private final Executor loop;
    private final Map<String, SpawnRecord> records = new LinkedHashMap<>();
    private final Map<RequestRecord.Key, RequestRecord> requests = new LinkedHashMap<>();
    private final List<SpawnRecord> saved = new ArrayList<>();
    private final Set<String> pruned = new LinkedHashSet<>();
    private boolean broken;

    public MemorySpawnStore(Executor loop) {
        this.loop = loop;
    }

    /** From now on writing fails, or works again. */
    public void setBroken(boolean isBroken) {
        broken = isBroken;
    }

    /** Every record in the order in which it was saved, once for each time. */
    public List<SpawnRecord> saved() {
        return saved;
    }

    /** The requests that are kept. */
    public Map<RequestRecord.Key, RequestRecord> requests() {
        return requests;
    }

    private interface Write {
        void run() throws IOException;
    }

    private CompletionStage<Void> write(Write work) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                if (broken) {
                    throw new IOException("database disk image is malformed");
                }
                work.run();
                result.complete(null);
            } catch (IOException | BrigException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private <T> CompletionStage<T> read(Supplier<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.execute(() -> result.complete(work.get()));
        return result;
    }

    @Override
    public CompletionStage<Void> save(SpawnRecord spawn) {
        return write(() -> put(spawn));
    }

    private void put(SpawnRecord spawn) {
        records.put(spawn.spawnId(), spawn);
        saved.add(spawn);
    }

    @Override
    public CompletionStage<Void> begin(SpawnRecord spawn, RequestRecord request) {
        return write(() -> {
            if (requests.containsKey(request.key())) {
                throw new BrigException(ErrorCode.IDEMPOTENCY_CONFLICT, "taken").withHttpStatus(409);
            }
            put(spawn);
            requests.put(request.key(), request);
        });
    }

    @Override
    public CompletionStage<Optional<RequestRecord>> find(RequestRecord.Key key) {
        return read(() -> Optional.ofNullable(requests.get(key)));
    }

    @Override
    public CompletionStage<Void> answer(RequestRecord.Key key, String answer) {
        return write(() -> requests.computeIfPresent(
                key,
                (same, known) ->
                        new RequestRecord(key, known.fingerprint(), known.spawnId(), known.createdMs(), answer)));
    }

    @Override
    public CompletionStage<Void> forget(RequestRecord.Key key) {
        return write(() -> requests.remove(key));
    }

    @Override
    public CompletionStage<Void> forgetBefore(long createdMs) {
        return write(() -> requests.values().removeIf(request -> request.createdMs() < createdMs));
    }

    @Override
    public CompletionStage<List<SpawnRecord>> load() {
        return read(() -> records.values().stream()
                .sorted(Comparator.comparingLong(record -> record.times().createdMs()))
                .toList());
    }

    @Override
    public CompletionStage<List<Ended>> ended() {
        return read(() -> records.values().stream()
                .filter(record -> record.times().endedMs() > 0)
                .map(record -> new Ended(record.spawnId(), record.times().endedMs()))
                .sorted(Comparator.comparingLong(Ended::endedMs))
                .toList());
    }

    @Override
    public CompletionStage<List<String>> prune(List<String> spawnIds) {
        List<String> gone = new ArrayList<>();
        return write(() -> spawnIds.forEach(id -> {
                    SpawnRecord record = records.get(id);
                    if (record != null && record.times().endedMs() > 0) {
                        records.remove(id);
                        pruned.add(id);
                        gone.add(id);
                    }
                }))
                .thenApply(done -> gone);
    }

    @Override
    public CompletionStage<List<String>> pruned() {
        return read(() -> List.copyOf(pruned));
    }

    @Override
    public CompletionStage<Void> swept(List<String> spawnIds) {
        return write(() -> pruned.removeAll(spawnIds));
    }

    @Override
    public void close() {}
}
