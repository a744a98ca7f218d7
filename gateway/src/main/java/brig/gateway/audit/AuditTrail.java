package brig.gateway.audit;

import brig.gateway.time.Timers;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.control.AuditAnswer;
import brig.protocol.egress.AuditEntry;
import brig.protocol.egress.AuditEvent;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An index over the audit lines that brig-egress writes; the files are the source of truth. The index is updated before
 * each query and periodically, so that no file is deleted before it was indexed. Entries whose file is gone are
 * dropped. Owned by the event loop.
 */
public final class AuditTrail {
    /**
     * A query; null matches anything.
     *
     * @param workers the workers whose entries are wanted
     * @param before only entries with a lower number, 0 for all, newest first
     * @param after only entries with a higher number, oldest first; -1 if unused
     */
    public record Query(
            @Nullable List<String> workers,
            @Nullable String host,
            AuditEvent.@Nullable Decision decision,
            long sinceMs,
            long untilMs,
            long before,
            long after,
            int limit) {}

    /** @param lastSeq the newest number in the index, whatever the query */
    public record Page(List<AuditEntry> entries, long lastSeq) {}

    /** @param complete whether the index was up to date */
    public record Answer(Page page, boolean complete) {}

    /** The index. Completes on the event loop. */
    public interface Index {
        /** The position after the last indexed line; empty at the beginning. */
        CompletionStage<String> position();

        CompletionStage<Void> add(AuditAnswer part);

        CompletionStage<Page> find(Query query);

        /** What is known of requests to models; {@code workers} and times as in a query. */
        CompletionStage<List<Costs.Sum>> costs(@Nullable List<String> workers, long sinceMs, long untilMs);
    }

    private static final Logger logger = LoggerFactory.getLogger(AuditTrail.class);
    private static final long CATCH_UP_MS = 60_000;

    private final WorkerAgent workers;
    private final Index index;
    private final Timers timers;
    /** Completes, never exceptionally, when all earlier queries were served, so that no two read the same lines. */
    private CompletionStage<?> served = CompletableFuture.completedFuture(null);

    public AuditTrail(WorkerAgent workers, Index index, Timers timers) {
        this.workers = workers;
        this.index = index;
        this.timers = timers;
    }

    /** Starts the periodic update. */
    public void start() {
        timers.after(CATCH_UP_MS, () -> catchUp().whenComplete((complete, failure) -> start()));
    }

    public CompletionStage<Answer> find(Query query) {
        return catchUp().thenCompose(complete -> index.find(query).thenApply(page -> new Answer(page, complete)));
    }

    /** Asks for the costs of requests to models, and makes an answer of them and of whether the index was up to date. */
    public <T> CompletionStage<T> costs(
            @Nullable List<String> workers,
            long sinceMs,
            long untilMs,
            BiFunction<List<Costs.Sum>, Boolean, T> answer) {
        return catchUp()
                .thenCompose(complete ->
                        index.costs(workers, sinceMs, untilMs).thenApply(sums -> answer.apply(sums, complete)));
    }

    /** @return whether everything written so far is in the index now */
    private CompletionStage<Boolean> catchUp() {
        CompletionStage<Boolean> mine = served.thenCompose(others -> {
                    CompletableFuture<Void> done = new CompletableFuture<>();
                    index.position().whenComplete((position, failure) -> {
                        if (failure == null) {
                            readOn(position, done);
                        } else {
                            done.completeExceptionally(failure);
                        }
                    });
                    return done;
                })
                .handle((done, failure) -> {
                    if (failure != null) {
                        logger.info("the audit index is out of date: {}", failure.toString());
                    }
                    return failure == null;
                });
        served = mine;
        return mine;
    }

    private void readOn(String position, CompletableFuture<Void> done) {
        workers.audit(position)
                .thenCompose(part -> {
                    boolean more = !part.next().equals(position);
                    return (more ? index.add(part) : CompletableFuture.<Void>completedFuture(null))
                            .thenApply(added -> more ? part.next() : "");
                })
                .whenComplete((next, failure) -> {
                    if (failure != null) {
                        done.completeExceptionally(failure);
                    } else if (next.isEmpty()) {
                        done.complete(null);
                    } else {
                        readOn(next, done);
                    }
                });
    }
}
