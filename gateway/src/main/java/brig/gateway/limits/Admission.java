package brig.gateway.limits;

import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.PoolState;
import brig.protocol.spawn.SpawnRequest;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Admission control for workers: a total limit, a limit per captain, and a cooldown per captain. A request without a
 * place is refused with a hint, or waits for as long as it asked to.
 *
 * <p>Waiting requests are served round-robin by captain, and in order within a captain: one captain's hundred requests
 * delay another captain by one. When the queue is full, the captain with the longest queue loses its newest request to
 * a captain with fewer. The estimated wait is the position in that order, times the recent interval between free
 * places.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decision 0031.
 */
public final class Admission {
    /** @param queueMax maximum number of waiting requests; 0 for none */
    public record Bounds(int workersMax, int workersPerCaptainMax, long cooldownMs, int queueMax) {}

    /**
     * A request for a place.
     *
     * @param asker its captain is the key of the limits per captain
     * @param waitMs how long it waits for a place; 0 does not wait
     * @param gone whether the client has disconnected, which passes its turn on
     */
    public record Applicant(SpawnRequest.Asker asker, long waitMs, BooleanSupplier gone) {

        String captain() {
            return asker.captain();
        }
    }

    private static final String ALL = "all";
    /** The assumed interval between free places until two became free. */
    private static final long FIRST_GUESS_MS = 1_000;

    private static final int HINT_SECONDS_MAX = 300;
    private static final int PAUSED_HINT_SECONDS = 10;

    private final Bounds bounds;
    private final Clock clock;
    private final Timers timers;
    private final CountLimit workers;
    private final CountLimit workersPerCaptain;
    private final Cooldown cooldown;
    private final FairQueue<Waiting> turns = new FairQueue<>();
    private PoolState state = PoolState.OPEN;
    private long freedMs;
    private long gapMs = FIRST_GUESS_MS;
    private Timers.@Nullable Timer coolingDown;

    private final class Waiting {
        final Applicant applicant;
        final CompletableFuture<Lease> place = new CompletableFuture<>();
        final Timers.Timer deadline;

        Waiting(Applicant applicant) {
            this.applicant = applicant;
            this.deadline = timers.after(applicant.waitMs(), this::handleDeadline);
        }

        private void handleDeadline() {
            checkWaiting();
            if (!place.isDone()) {
                BrigException refusal =
                        refusal(applicant.captain()).withQueuePosition(turns.position(applicant.captain(), this));
                remove(this);
                place.completeExceptionally(refusal);
            }
        }
    }

    public Admission(Bounds bounds, Clock clock, Timers timers) {
        this.bounds = bounds;
        this.clock = clock;
        this.timers = timers;
        workers = new CountLimit(bounds.workersMax(), ErrorCode.MAX_WORKERS, "workersMax");
        workersPerCaptain = new CountLimit(
                bounds.workersPerCaptainMax(), ErrorCode.MAX_WORKERS_PER_CAPTAIN, "workersPerCaptainMax");
        cooldown = new Cooldown(bounds.cooldownMs());
    }

    /** Takes a place, now or in turn. Fails with the limit's code and a hint, without side effects. */
    public CompletionStage<Lease> enter(Applicant applicant) {
        checkWaiting();
        if (hasPlace(applicant.captain())) {
            return CompletableFuture.completedFuture(grant(applicant.captain()));
        }
        if (applicant.waitMs() <= 0 || state == PoolState.DRAINING || state == PoolState.CLOSED) {
            return CompletableFuture.failedFuture(refusal(applicant.captain()));
        }
        if (turns.size() >= bounds.queueMax() && !makeRoom(applicant.captain())) {
            return CompletableFuture.failedFuture(full());
        }
        Waiting added = new Waiting(applicant);
        turns.add(applicant.captain(), added);
        checkCooldowns();
        return added.place;
    }

    /** Counts an existing worker, even beyond the limits: it was admitted under earlier ones. */
    public Lease hold(String captain) {
        Lease one = workers.hold(ALL);
        Lease own = workersPerCaptain.hold(captain);
        return new Lease(() -> {
            one.close();
            own.close();
            handleFree();
        });
    }

    private Lease grant(String captain) {
        cooldown.note(captain, clock.nowMs());
        return hold(captain);
    }

    /** @throws BrigException if the captain gets no place now, with the reason and the expected wait */
    private void check(String captain) {
        switch (state) {
            case OPEN -> {}
            case PAUSED, DRAINING ->
                throw new BrigException(
                        ErrorCode.POOL_PAUSED,
                        "the operator has " + (state == PoolState.PAUSED ? "paused" : "drained") + " the pool",
                        PAUSED_HINT_SECONDS);
            case CLOSED -> throw new BrigException(ErrorCode.SHUTTING_DOWN, "the gateway is shutting down", 2);
        }
        workers.check(ALL, hintSeconds(turns.size() + 1));
        workersPerCaptain.check(captain, hintSeconds(turns.size(captain) + 1));
        cooldown.check(captain, clock.nowMs());
    }

    private boolean hasPlace(String captain) {
        try {
            check(captain);
            return true;
        } catch (BrigException refusal) {
            return false;
        }
    }

    private BrigException refusal(String captain) {
        try {
            check(captain);
            return full();
        } catch (BrigException refusal) {
            return refusal;
        }
    }

    private BrigException full() {
        return new BrigException(
                ErrorCode.QUEUE_FULL,
                "limits.spawnQueueMax (" + bounds.queueMax() + ") is reached",
                hintSeconds(turns.size() + 1));
    }

    /** Evicts the newest request of the captain with the longest queue, in favour of one that would have fewer. */
    private boolean makeRoom(String captain) {
        Waiting last = turns.newestOfLongest(turns.size(captain) + 1);
        if (last == null) {
            return false;
        }
        remove(last);
        last.place.completeExceptionally(full());
        return true;
    }

    private void remove(Waiting gone) {
        gone.deadline.cancel();
        turns.remove(gone.applicant.captain(), gone);
    }

    private void handleFree() {
        long nowMs = clock.nowMs();
        if (freedMs > 0) {
            gapMs = (3 * gapMs + (nowMs - freedMs)) / 4;
        }
        freedMs = nowMs;
        // Deferred until the worker that frees the place has ended completely: serving a request starts another one.
        var _ = timers.after(1, this::checkWaiting);
    }

    /** Serves all requests that have a place, round-robin. */
    private void checkWaiting() {
        for (Waiting next = turns.next(this::hasPlace); next != null; next = turns.next(this::hasPlace)) {
            next.deadline.cancel();
            if (next.applicant.gone().getAsBoolean()) {
                next.place.completeExceptionally(full());
            } else {
                next.place.complete(grant(next.applicant.captain()));
            }
        }
        checkCooldowns();
    }

    /** Sets the timer for the next end of a cooldown. */
    private void checkCooldowns() {
        if (coolingDown != null) {
            coolingDown.cancel();
            coolingDown = null;
        }
        long nowMs = clock.nowMs();
        turns.counts().keySet().stream()
                .mapToLong(captain -> cooldown.leftMs(captain, nowMs))
                .filter(left -> left > 0)
                .min()
                .ifPresent(left -> coolingDown = timers.after(left, this::checkWaiting));
    }

    private int hintSeconds(int position) {
        return Math.clamp((position * gapMs + 999) / 1000, 1, HINT_SECONDS_MAX);
    }

    /** Starts nothing until {@link #resume}; requests may wait. */
    public void pause() {
        become(PoolState.PAUSED);
    }

    /** Starts nothing until {@link #resume}, and no request waits. */
    public void drain() {
        become(PoolState.DRAINING);
    }

    /** Starts nothing any longer. */
    public void close() {
        become(PoolState.CLOSED);
    }

    /** Starts workers again. */
    public void resume() {
        become(PoolState.OPEN);
        checkWaiting();
    }

    private void become(PoolState next) {
        if (state == PoolState.CLOSED) {
            return;
        }
        state = next;
        if (next == PoolState.DRAINING || next == PoolState.CLOSED) {
            for (Waiting one : turns.all()) {
                remove(one);
                one.place.completeExceptionally(refusal(one.applicant.captain()));
            }
        }
    }

    public PoolState state() {
        return state;
    }

    /** Number of places taken. */
    public int workers() {
        return workers.count(ALL);
    }

    /** Number of places taken by one captain. */
    public int workers(String captain) {
        return workersPerCaptain.count(captain);
    }

    /** Number of waiting requests by captain, in the order of service. */
    public Map<String, Integer> queue() {
        return turns.counts();
    }

    /** Expected wait of a new request, in seconds. */
    public int estimateSeconds() {
        return hasPlace("") ? 0 : hintSeconds(turns.size() + 1);
    }

    public Bounds bounds() {
        return bounds;
    }
}
