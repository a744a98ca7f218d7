package brig.gateway.cluster;

import brig.gateway.cluster.SharedLog.Placed;
import brig.gateway.time.Timers;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What other gateways write to the log of a host, given to the spawns that it is of. One reading for all spawns of a
 * host. It waits while a spawn is not known yet, and while one cannot take more. What is shown before it is durable waits
 * for nothing: it is passed over where it does not fit, or where its owner is known to be one no more.
 *
 * <p>Owned by the event loop.
 */
final class HostFeed {
    /** Takes the runs of one spawn. */
    interface Taker {
        void take(Run run);

        /** Takes a run that is not durable yet if it can take more, and this is the next; it comes again when it is. */
        void show(Run run);

        /** Completes when it can take more. */
        CompletionStage<Void> ready();
    }

    private static final long RETRY_MS = 250;

    private final String host;
    private final SharedLog shared;
    /** Finds who takes the runs of a spawn; completes with null if nobody does. */
    private final Function<String, CompletionStage<@Nullable Taker>> takers;

    /** The same for one that is known already. */
    private final Function<String, @Nullable Taker> known;

    private final Timers timers;

    /** By the position that they wait for. */
    private final TreeMap<Long, CompletableFuture<Void>> waiting = new TreeMap<>();

    private SharedLog.@Nullable Reading reading;
    private SharedLog.@Nullable Reading watching;
    /** Counts readings: what an earlier one brought is not given after it was closed. */
    private int readings;
    /** Everything up to there was given. */
    private long position;
    /** The greatest of an owner that wrote. */
    private long term;

    HostFeed(
            String host,
            SharedLog shared,
            Function<String, CompletionStage<@Nullable Taker>> takers,
            Function<String, @Nullable Taker> known,
            Timers timers) {
        this.known = known;
        this.timers = timers;
        this.host = host;
        this.shared = shared;
        this.takers = takers;
    }

    /** Begins, or goes on where it was. */
    void open() {
        if (reading == null) {
            int its = ++readings;
            reading = shared.follow(host, position, runs -> handle(runs, its));
            watching = shared.watch(host, run -> {
                if (its == readings) {
                    show(run);
                }
            });
        }
    }

    void close() {
        if (reading != null) {
            reading.close();
            reading = null;
            readings++;
        }
        if (watching != null) {
            watching.close();
            watching = null;
        }
    }

    private void show(Run run) {
        Taker taker = run.term() < term ? null : known.apply(run.spawnId());
        if (taker != null) {
            taker.show(run);
        }
    }

    long position() {
        return position;
    }

    /** Completes when all runs up to that position were given. */
    CompletionStage<Void> reached(long wanted) {
        return wanted <= position
                ? CompletableFuture.completedFuture(null)
                : waiting.computeIfAbsent(wanted, key -> new CompletableFuture<>())
                        .copy();
    }

    private CompletionStage<Void> handle(List<Placed> runs, int its) {
        CompletionStage<Void> given = CompletableFuture.completedFuture(null);
        for (Placed placed : runs) {
            given = given.thenCompose(before -> give(placed, its));
        }
        return given;
    }

    private CompletionStage<Void> give(Placed placed, int its) {
        if (its != readings || placed.position() <= position) {
            return CompletableFuture.completedFuture(null);
        }
        term = Math.max(term, placed.run().term());
        if (placed.run().isFence()) {
            advance(placed.position());
            return CompletableFuture.completedFuture(null);
        }
        return takers.apply(placed.run().spawnId())
                .thenCompose(taker -> its == readings ? give(placed, taker) : CompletableFuture.completedFuture(null))
                .exceptionallyCompose(failure -> later().thenCompose(again -> give(placed, its)));
    }

    private CompletionStage<Void> give(Placed placed, @Nullable Taker taker) {
        if (taker == null) {
            advance(placed.position());
            return CompletableFuture.completedFuture(null);
        }
        taker.take(placed.run());
        advance(placed.position());
        return taker.ready();
    }

    /** It is not known now whose frames these are. */
    private CompletionStage<Void> later() {
        CompletableFuture<Void> later = new CompletableFuture<>();
        timers.after(RETRY_MS, () -> later.complete(null));
        return later;
    }

    private void advance(long reached) {
        position = Math.max(position, reached);
        while (!waiting.isEmpty() && waiting.firstKey() <= position) {
            waiting.pollFirstEntry().getValue().complete(null);
        }
    }
}
