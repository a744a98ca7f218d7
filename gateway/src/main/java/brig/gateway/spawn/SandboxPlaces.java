package brig.gateway.spawn;

import brig.protocol.BrigException;
import brig.protocol.spawn.SpawnRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Providers of sandboxes, as the spawner needs them: a machine for each spawn, whose worker-agent is a host of its own.
 *
 * <p>Decision 0217.
 */
public interface SandboxPlaces {
    /** There are no providers. */
    SandboxPlaces NONE = new SandboxPlaces() {
        @Override
        public void require(SpawnRequest request) {
            throw BrigException.invalid(
                    "provider", "is not a provider of this gateway; there is " + SpawnRequest.Claim.LOCAL);
        }

        @Override
        public String hostOf(String spawnId) {
            throw new IllegalStateException("there are no providers");
        }

        @Override
        public CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> provide(Spawn spawn, BooleanSupplier unwanted, Consumer<Boolean> doubt) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Boolean> recall(Spawn spawn) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public CompletionStage<Void> end(Spawn spawn) {
            return CompletableFuture.completedFuture(null);
        }
    };

    /** @throws BrigException if the request's provider makes no sandbox for it now, and why */
    void require(SpawnRequest request);

    /** The name of the spawn's host. */
    String hostOf(String spawnId);

    /** Refuses a request that a worker-agent in a sandbox would refuse, as far as home can tell. */
    CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker);

    /**
     * Makes the spawn's sandbox, and starts a worker-agent in it.
     *
     * @param unwanted whether nobody wants it any more
     * @param doubt is told whether it is unknown that there is a sandbox
     * @return completes when the worker-agent answers
     */
    CompletionStage<Void> provide(Spawn spawn, BooleanSupplier unwanted, Consumer<Boolean> doubt);

    /**
     * Brings the sandbox of a spawn back into reach, if changes would be lost with it; one that is paused goes on.
     *
     * @return whether it is in reach; false where there are no changes, and when it is not after half a minute
     */
    CompletionStage<Boolean> recall(Spawn spawn);

    /** Ends the sandbox of a spawn, whether or not its worker-agent is in reach; completes when it is gone. */
    CompletionStage<Void> end(Spawn spawn);
}
