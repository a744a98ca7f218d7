package brig.gateway.audit;

import brig.gateway.time.Timers;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.control.AuditAnswer;
import brig.protocol.egress.AuditEntry;
import brig.protocol.egress.AuditEvent;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What became of the requests that agents made. The truth are the lines that brig-egress writes; here they are in an
 * index that can be asked. It is brought up to date before each question, and from time to time, so that no file is
 * deleted unread; it forgets what they have no more. State owned by the event loop.
 */
public final class AuditTrail {
    /**
     * What is asked for; each that is null is any.
     *
     * @param workers those whose entries are wanted
     * @param before only entries with a lower number, 0 for all, newest first
     * @param after only entries with a higher number, oldest first; -1 where that is not wanted
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

    /** @param lastSeq the newest number that there is, whatever was asked for */
    public record Page(List<AuditEntry> entries, long lastSeq) {}

    /** @param complete whether the index had everything that was written */
    public record Answer(Page page, boolean complete) {}

    /** The index. Completes on the event loop. */
    public interface Index {
        /** The position behind what is in it; empty at its beginning. */
        CompletionStage<String> position();

        CompletionStage<Void> add(AuditAnswer part);

        CompletionStage<Page> find(Query query);
    }

    private static final Logger logger = LoggerFactory.getLogger(AuditTrail.class);
    private static final long CATCH_UP_MS = 60_000;

    private final WorkerAgent workers;
    private final Index index;
    private final Timers timers;
    /** Completes, never exceptionally, when those who asked so far were served: two do not read the same lines. */
    private CompletionStage<?> served = CompletableFuture.completedFuture(null);

    public AuditTrail(WorkerAgent workers, Index index, Timers timers) {
        this.workers = workers;
        this.index = index;
        this.timers = timers;
    }

    /** Begins to follow what is written. */
    public void start() {
        timers.after(CATCH_UP_MS, () -> catchUp().whenComplete((complete, failure) -> start()));
    }

    public CompletionStage<Answer> find(Query query) {
        return catchUp().thenCompose(complete -> index.find(query).thenApply(page -> new Answer(page, complete)));
    }

    /** @return whether all that was written is in the index now */
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
                        logger.info("the index of the audit is behind: {}", failure.toString());
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
