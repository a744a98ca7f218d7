package brig.gateway.audit;

import brig.gateway.store.SqliteAuditIndex;
import brig.gateway.time.Timers;
import brig.gateway.worker.WorkerAgent;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An index over the audit lines that brig-egress writes; the files are the source of truth. The index is updated before
 * each query and periodically, so that no file is deleted before it was indexed. Entries whose file is gone are
 * dropped. Owned by the event loop.
 */
public final class AuditTrail {
    /** @param complete whether the index was up to date */
    public record Answer(SqliteAuditIndex.Found found, boolean complete) {}

    private static final Logger logger = LoggerFactory.getLogger(AuditTrail.class);
    private static final long CATCH_UP_MS = 60_000;

    private final WorkerAgent workers;
    private final SqliteAuditIndex index;
    private final Timers timers;
    /** Completes, never exceptionally, when all earlier queries were served, so that no two read the same lines. */
    private CompletionStage<?> served = CompletableFuture.completedFuture(null);

    public AuditTrail(WorkerAgent workers, SqliteAuditIndex index, Timers timers) {
        this.workers = workers;
        this.index = index;
        this.timers = timers;
    }

    /** Starts the periodic update. */
    public void start() {
        timers.after(CATCH_UP_MS, () -> catchUp().whenComplete((complete, failure) -> start()));
    }

    public CompletionStage<Answer> find(SqliteAuditIndex.Query query) {
        return catchUp().thenCompose(complete -> index.find(query).thenApply(found -> new Answer(found, complete)));
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
                    return (more
                                    ? index.add(part.lines(), part.next(), part.oldestMs())
                                    : CompletableFuture.<Void>completedFuture(null))
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
