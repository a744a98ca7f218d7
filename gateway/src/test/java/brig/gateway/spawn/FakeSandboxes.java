package brig.gateway.spawn;

import brig.protocol.BrigException;
import brig.protocol.spawn.SpawnRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A provider that a test answers for. */
final class FakeSandboxes implements SandboxPlaces {
    static final String PROVIDER = "cloud";

    /** A sandbox that is being made. */
    record Making(BooleanSupplier unwanted, Consumer<Boolean> doubt, CompletableFuture<Void> ready) {}

    final Map<String, Making> making = new HashMap<>();
    final List<String> ended = new ArrayList<>();
    /** Whether one is in reach again. */
    CompletableFuture<Boolean> recall = CompletableFuture.completedFuture(false);
    /** Hears of a sandbox that is asked for. */
    Runnable asked = () -> {};

    @Override
    public void require(SpawnRequest request) {
        if (!request.claim().provider().equals(PROVIDER)) {
            throw BrigException.invalid("provider", "is not a provider of this gateway; there are local, cloud");
        }
    }

    @Override
    public String hostOf(String spawnId) {
        return SpawnBench.FAR;
    }

    @Override
    public CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> provide(Spawn spawn, BooleanSupplier unwanted, Consumer<Boolean> doubt) {
        asked.run();
        Making one = new Making(unwanted, doubt, new CompletableFuture<>());
        making.put(spawn.spawnId(), one);
        return one.ready();
    }

    @Override
    public CompletionStage<Boolean> recall(Spawn spawn) {
        return recall;
    }

    @Override
    public CompletionStage<Void> end(Spawn spawn) {
        ended.add(spawn.spawnId());
        return CompletableFuture.completedFuture(null);
    }
}
