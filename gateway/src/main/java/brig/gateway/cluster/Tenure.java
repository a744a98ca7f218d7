package brig.gateway.cluster;

import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.Reason;
import brig.protocol.json.Json;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this gateway owns a host. The owner renews its entry in a shared table every second. Who sees the same entry
 * for {@value #TTL_MS} ms takes the host, by compare and set. The owner gives up a second earlier, by its own clock,
 * counted from before the last renewal that succeeded. Clocks are compared with themselves only.
 *
 * <p>The term of an owner is greater than all before: the one after the last, and at least the seconds of the calendar, so
 * that it is greater, too, where the table was restored from a backup.
 *
 * <p>Owned by the event loop.
 */
final class Tenure {
    static final long TTL_MS = 5_000;
    private static final long RENEW_MS = 1_000;
    private static final long MARGIN_MS = 1_000;
    /** A gateway with many hosts lets one with fewer be faster. */
    private static final long MODESTY_MS = 300;

    private static final Logger logger = LoggerFactory.getLogger(Tenure.class);

    /** Who is told. */
    interface Listener {
        void handleTaken(long term);

        /** Another gateway may own it from now on. */
        void handleLost();
    }

    /**
     * This gateway.
     *
     * @param name by which it is asked
     * @param instance of its folder of state: what an earlier process of it took is its own
     */
    record Self(String name, String instance) {}

    /** What a tenure works with; the clock never goes back, the calendar may. */
    record Services(SharedTable owners, Clock clock, Clock calendar, Timers timers, IntSupplier hostsOwned) {}

    private final String host;
    private final Self self;
    private final Services services;
    private final BooleanSupplier up;
    private final Listener listener;

    /** What was seen last; null before, or if nobody owns it. */
    private @Nullable OwnerEntry seen;

    /** Of the last owner that is known. */
    private long seenTerm;

    private long seenRevision;
    private long seenSinceMs;
    /** Whether the owner that was seen has renewed its entry since: one of a restored backup, or of a server that lags, does not. */
    private boolean renewing;
    /** When the table answered last. */
    private long answeredMs;

    private long term;
    private long revision;
    private long validUntilMs;
    private boolean asking;
    private boolean closed;

    /** @param up whether the host is in reach, told to the other gateways */
    Tenure(String host, Self self, Services services, BooleanSupplier up, Listener listener) {
        this.host = host;
        this.self = self;
        this.services = services;
        this.up = up;
        this.listener = listener;
    }

    void begin() {
        seenSinceMs = services.clock().nowMs();
        answeredMs = seenSinceMs;
        tick();
    }

    private void tick() {
        if (closed) {
            return;
        }
        var _ = services.timers().after(RENEW_MS, this::tick);
        checkOver();
        if (!asking) {
            asking = true;
            (term > 0 ? renew(true) : look()).whenComplete((done, failure) -> {
                asking = false;
                if (failure != null && !(Reason.cause(failure) instanceof StaleException)) {
                    logger.debug("the owner of {} is not known: {}", host, failure.toString());
                }
                checkOver();
            });
        }
    }

    private void checkOver() {
        if (term > 0 && !holds()) {
            lose();
        }
    }

    /** Whether this gateway owns it now. */
    boolean holds() {
        return term > 0 && services.clock().nowMs() < validUntilMs;
    }

    /** Of this gateway; 0 if it is not the owner. */
    long term() {
        return holds() ? term : 0;
    }

    /** Who owns it; empty if nobody is known to. */
    Optional<OwnerEntry> owner() {
        return holds()
                ? Optional.of(new OwnerEntry(self.name(), self.instance(), term, up.getAsBoolean()))
                : Optional.ofNullable(seen).filter(entry -> !entry.gateway().isEmpty());
    }

    /** Whether the owner was seen to renew its entry, and not for longer ago than it is good. */
    boolean isRenewed() {
        return holds() || (renewing && services.clock().nowMs() - seenSinceMs < TTL_MS);
    }

    /** Whether what is known of the owner is not older than an entry is good. */
    boolean isAnswered() {
        return services.clock().nowMs() - answeredMs < TTL_MS;
    }

    private CompletionStage<?> look() {
        return services.owners().read(host).thenCompose(found -> {
            long nowMs = services.clock().nowMs();
            answeredMs = nowMs;
            long foundRevision = found.map(SharedTable.Entry::revision).orElse(0L);
            if (foundRevision != seenRevision) {
                seenSinceMs = nowMs;
                renewing = seenRevision > 0 && foundRevision > seenRevision;
            }
            seenRevision = foundRevision;
            seen = found.filter(entry -> !entry.isRemoved()).map(Tenure::read).orElse(null);
            seenTerm = Math.max(seenTerm, seen == null ? 0 : seen.term());
            long patience = seen == null || seen.gateway().isEmpty() ? 0 : TTL_MS;
            boolean mine = seen != null && seen.instance().equals(self.instance());
            boolean free = mine
                    || nowMs - seenSinceMs
                            >= patience + MODESTY_MS * services.hostsOwned().getAsInt();
            return free ? take(nowMs) : CompletableFuture.completedFuture(null);
        });
    }

    private static @Nullable OwnerEntry read(SharedTable.Entry entry) {
        try {
            return Json.read(entry.value(), OwnerEntry.class);
        } catch (BrigException unreadable) {
            return null;
        }
    }

    private CompletionStage<?> take(long begunMs) {
        long next = Math.max(
                seenTerm + 1,
                TimeUnit.MILLISECONDS.toSeconds(services.calendar().nowMs()));
        return services.owners()
                .write(host, Json.write(new OwnerEntry(self.name(), self.instance(), next, false)), seenRevision)
                .thenAccept(taken -> {
                    if (closed) {
                        return;
                    }
                    term = next;
                    seenTerm = next;
                    extend(begunMs, taken);
                    if (holds()) {
                        logger.info("host {} is owned by this gateway term={}", host, term);
                        listener.handleTaken(term);
                    } else {
                        term = 0;
                    }
                });
    }

    private void extend(long begunMs, long newRevision) {
        revision = newRevision;
        answeredMs = services.clock().nowMs();
        validUntilMs = begunMs + TTL_MS - MARGIN_MS;
    }

    /** @param checks whether it is looked at who wrote instead, if somebody did */
    private CompletionStage<?> renew(boolean checks) {
        long begunMs = services.clock().nowMs();
        long renewed = term;
        OwnerEntry entry = new OwnerEntry(self.name(), self.instance(), renewed, up.getAsBoolean());
        return services.owners().write(host, Json.write(entry), revision).handle((next, failure) -> {
            if (failure == null && term == renewed) {
                extend(begunMs, next);
            } else if (checks && failure != null && Reason.cause(failure) instanceof StaleException) {
                return checkStale(renewed);
            }
            return null;
        });
    }

    /**
     * A renewal whose answer was lost is no other owner. But others count from when they saw it, which is not known here: only
     * the next one that succeeds counts.
     */
    private CompletionStage<?> checkStale(long renewed) {
        return services.owners().read(host).thenCompose(found -> {
            OwnerEntry entry =
                    found.filter(one -> !one.isRemoved()).map(Tenure::read).orElse(null);
            boolean mine = entry != null && entry.instance().equals(self.instance()) && entry.term() == renewed;
            if (term != renewed) {
                return CompletableFuture.completedFuture(null);
            }
            if (mine) {
                revision = found.orElseThrow().revision();
                return renew(false);
            }
            lose();
            return CompletableFuture.completedFuture(null);
        });
    }

    /** Another gateway does what only an owner does. */
    void handleStale() {
        if (term > 0) {
            lose();
        }
    }

    private void lose() {
        logger.warn("host {} is not owned by this gateway any more term={}", host, term);
        term = 0;
        seenRevision = 0;
        renewing = false;
        seenSinceMs = services.clock().nowMs();
        listener.handleLost();
    }

    /** Gives it up, so that another gateway need not wait. */
    CompletionStage<?> end() {
        closed = true;
        if (term == 0) {
            return CompletableFuture.completedFuture(null);
        }
        long last = revision;
        long its = term;
        term = 0;
        listener.handleLost();
        return free(last, its)
                .exceptionallyCompose(failure -> services.owners()
                        .read(host)
                        .thenCompose(found -> found.filter(entry -> isMine(entry))
                                .<CompletionStage<?>>map(entry -> free(entry.revision(), its))
                                .orElseGet(() -> CompletableFuture.completedFuture(null)))
                        .thenApply(freed -> last));
    }

    /** A renewal may have been on its way. */
    private boolean isMine(SharedTable.Entry entry) {
        OwnerEntry there = entry.isRemoved() ? null : read(entry);
        return there != null && there.instance().equals(self.instance());
    }

    /** The next owner goes on from its term. */
    private CompletionStage<Long> free(long last, long its) {
        return services.owners().write(host, Json.write(new OwnerEntry("", "", its, false)), last);
    }
}
