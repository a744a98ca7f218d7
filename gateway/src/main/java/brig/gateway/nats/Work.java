package brig.gateway.nats;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Blocking calls, on threads that may block; their results come on the event loop.
 *
 * @param threads where they run
 */
record Work(Executor threads, Executor loop) {
    <T> CompletionStage<T> run(Callable<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                T value = call.call();
                loop.execute(() -> result.complete(value));
            } catch (Exception e) {
                loop.execute(() -> result.completeExceptionally(e));
            }
        });
        return result;
    }
}
