package brig.egress.rate;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The gate before one provider and credential. It is open until the provider refuses a request for its rate. Then nothing
 * goes out for as long as the provider said; after that one request goes alone, and when it is answered, the others
 * follow at a pace. The pace begins with what the provider took before it refused, or with what its headers say, grows slowly
 * and falls with each refusal. When nothing was refused or waited for some time, the gate opens.
 *
 * <p>Requests that were under way when the gate closed may be refused too: that is the same refusal. Answers of servers decide
 * about nothing but their own gate, and about no time beyond {@link RateAnswer#WAIT_MS_MAX}.
 *
 * <p>Thread-safe.
 *
 * <p>Decision 0204.
 */
public final class RouteGate {
    private enum State {
        OPEN,
        CLOSED,
        /** One request is out alone. */
        PROBING,
        PACED
    }

    /** As agents wait for an answer without one. */
    static final long WAIT_MS_MAX = 120_000;

    static final int WAITING_MAX = 1024;
    static final int WAITING_OF_WORKER_MAX = 64;

    /** How long a request is alone: a refusal comes sooner. */
    private static final long PROBE_MS_MAX = 10_000;

    private static final long BACKOFF_MS_MIN = 1_000;
    private static final long BACKOFF_MS_MAX = 60_000;
    private static final long PERIOD_MS_MIN = 1_000;
    private static final double PER_SECOND_MIN = 1.0 / 30;
    private static final double PER_SECOND_MAX = 10_000;
    /** What headers of good answers can slow it down to. */
    private static final double HINTED_PER_SECOND_MIN = 1;

    private static final double AT_FIRST = 0.9;
    private static final double AFTER_REFUSAL = 0.85;
    /** The pace grows by a tenth in ten closings, so that a tenth of the time at most is lost by trying. */
    private static final double GROWTH = 0.01;

    private static final long CALM_PERIODS = 10;
    private static final long CALM_MS_MIN = 30_000;
    /** So many seconds of the pace may go out at once. */
    private static final double BURST_SECONDS = 0.1;

    private static final int RECENT_MAX = 256;
    private static final int ERROR_MIN = 400;

    private final GateTimers timers;
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile State state = State.OPEN;
    private volatile long usedMs;
    private volatile long closings;

    // Guarded by the lock.
    private final FairQueue<Pass> waiting = new FairQueue<>();
    /** When the last requests were taken by the provider, as a ring. */
    private final long[] recentMs = new long[RECENT_MAX];

    private long taken;
    private int failures;
    private long closedUntilMs;
    private long periodMs = PERIOD_MS_MIN;
    private long troubledMs;
    private @Nullable Pass probe;
    private double perSecond;
    /** From when on the pace is measured when the gate opens a little; negative if it is known. */
    private long measuredFromMs = -1;
    /** Whether the pace is a guess, which doubles each second until a refusal. */
    private boolean guessed;

    private double room;
    private long roomMs;
    private @Nullable Runnable wakeup;
    private long wakeupMs;

    RouteGate(GateTimers timers) {
        this.timers = timers;
        this.usedMs = timers.nowMs();
    }

    /** A request of a worker, which may then {@link Pass#enter}. */
    public Pass pass(Object worker, Executor executor, Pass.Listener listener) {
        return new Pass(this, worker, executor, listener);
    }

    void handleUsed() {
        usedMs = timers.nowMs();
    }

    /** Whether it has no request, and had none for that time. */
    boolean isUnused(long ms) {
        lock.lock();
        try {
            long now = timers.nowMs();
            return underWay.get() == 0 && waiting.size() == 0 && now >= closedUntilMs && now - usedMs >= ms;
        } finally {
            lock.unlock();
        }
    }

    boolean enter(Pass pass) {
        long known = closings;
        if (state == State.OPEN) {
            underWay.incrementAndGet();
            pass.becomeThrough(known);
            pass.listener().handleThrough();
            return false;
        }
        long retryAfterMs;
        lock.lock();
        try {
            retryAfterMs = becomeWaiting(pass);
            if (retryAfterMs == 0) {
                drain();
                return true;
            }
        } finally {
            lock.unlock();
        }
        pass.listener().handleTurnedAway(retryAfterMs);
        return false;
    }

    /** @return 0, or when it may come again */
    private long becomeWaiting(Pass pass) {
        boolean isTooMany = waiting.size() >= WAITING_MAX || waiting.sizeOf(pass.worker()) >= WAITING_OF_WORKER_MAX;
        if (isTooMany || closedUntilMs - timers.nowMs() > WAIT_MS_MAX) {
            pass.becomeOver();
            return retryAfterMs();
        }
        waiting.add(pass.worker(), pass);
        pass.becomeWaiting(timers.schedule(() -> handleDeadline(pass), WAIT_MS_MAX));
        return 0;
    }

    private long retryAfterMs() {
        long forAllMs = (long) (waiting.size() * 1000 / Math.max(perSecond, PER_SECOND_MIN));
        long ms = Math.max(closedUntilMs - timers.nowMs(), forAllMs);
        return Math.clamp(ms, BACKOFF_MS_MIN, RateAnswer.WAIT_MS_MAX);
    }

    private void handleDeadline(Pass pass) {
        lock.lock();
        try {
            if (pass.state() == Pass.State.WAITING) {
                waiting.remove(pass.worker(), pass);
                pass.becomeOver();
                pass.tellTurnedAway(retryAfterMs());
            }
        } finally {
            lock.unlock();
        }
    }

    void handleEnd(Pass pass) {
        lock.lock();
        try {
            switch (pass.state()) {
                case WAITING -> waiting.remove(pass.worker(), pass);
                case THROUGH -> {
                    underWay.decrementAndGet();
                    handleProbeOver(pass, State.CLOSED);
                }
                case NEW, OVER -> {}
            }
            pass.becomeOver();
            drain();
        } finally {
            lock.unlock();
        }
    }

    private void handleProbeOver(Pass pass, State next) {
        if (pass == probe) {
            probe = null;
            become(next);
        }
    }

    private void become(State next) {
        state = next;
        room = 0;
        roomMs = timers.nowMs();
    }

    void handleAnswer(Pass pass, int status, HttpHeaders headers) {
        RateAnswer said = RateAnswer.of(status, headers, timers.wallMs());
        lock.lock();
        try {
            if (pass.state() != Pass.State.THROUGH) {
                return;
            }
            underWay.decrementAndGet();
            pass.becomeOver();
            if (said.refused()) {
                handleRefused(pass, said);
            } else {
                handleTaken(pass, said, status < ERROR_MIN);
            }
            drain();
        } finally {
            lock.unlock();
        }
    }

    private void handleRefused(Pass pass, RateAnswer said) {
        long now = timers.nowMs();
        boolean isKnown = pass.generation() != closings;
        if (isKnown) {
            if (state == State.CLOSED) {
                closedUntilMs = Math.max(closedUntilMs, now + said.retryAfterMs());
            }
            return;
        }
        long forMs = said.retryAfterMs() > 0 ? said.retryAfterMs() : backoffMs(said);
        periodMs = Math.max(PERIOD_MS_MIN, forMs);
        if (said.left() == 0 && said.perSecond() > 0) {
            perSecond = said.perSecond();
            measuredFromMs = -1;
            guessed = false;
        } else if (state == State.OPEN) {
            measuredFromMs = Math.max(0, now - periodMs);
        } else if (state == State.PACED) {
            perSecond *= AFTER_REFUSAL;
            guessed = false;
        }
        perSecond = Math.clamp(perSecond, PER_SECOND_MIN, PER_SECOND_MAX);
        failures++;
        long known = closings;
        closings = known + 1;
        probe = null;
        closedUntilMs = now + forMs;
        troubledMs = closedUntilMs;
        become(State.CLOSED);
    }

    private long backoffMs(RateAnswer said) {
        long ms = Math.min(BACKOFF_MS_MIN << Math.min(failures, 6), BACKOFF_MS_MAX);
        return said.emptyMs() > 0 ? Math.min(ms, said.emptyMs()) : ms;
    }

    /** @param isGood whether the provider did what was asked */
    private void handleTaken(Pass pass, RateAnswer said, boolean isGood) {
        long now = timers.nowMs();
        handleProbeOver(pass, State.PACED);
        if (isGood) {
            recentMs[(int) (taken % RECENT_MAX)] = now;
            taken++;
            if (state == State.PACED && pass.generation() == closings) {
                failures = 0;
                perSecond += waiting.size() == 0 ? 0 : guessed ? 1 : GROWTH * 1000 / periodMs;
            }
        }
        boolean isScarce = said.left() >= 0 && said.left() <= underWay.get() + waiting.size() && said.perSecond() > 0;
        if (isScarce && (state == State.OPEN || state == State.PACED)) {
            double hinted = Math.max(said.perSecond(), HINTED_PER_SECOND_MIN);
            if (state == State.OPEN) {
                become(State.PACED);
                perSecond = hinted;
            }
            guessed = false;
            troubledMs = now;
            perSecond = Math.min(perSecond, hinted);
            room = Math.max(room, (double) said.left() - underWay.get());
        }
        perSecond = Math.clamp(perSecond, PER_SECOND_MIN, PER_SECOND_MAX);
    }

    /** The pace that the provider took before it refused. */
    private void measure() {
        int count = 0;
        for (int i = 0; i < Math.min(taken, RECENT_MAX); i++) {
            count += recentMs[i] >= measuredFromMs ? 1 : 0;
        }
        guessed = count == 0;
        perSecond = guessed ? 1 : Math.max(PER_SECOND_MIN, count * 1000.0 / periodMs * AT_FIRST);
        measuredFromMs = -1;
    }

    /** Lets out what may go now, and comes again when more may. Under the lock. */
    private void drain() {
        long now = timers.nowMs();
        if (state == State.CLOSED && now >= closedUntilMs) {
            Pass first = waiting.next();
            if (first != null) {
                become(State.PROBING);
                probe = first;
                if (measuredFromMs >= 0) {
                    measure();
                }
                troubledMs = now;
                letThrough(first);
            }
        }
        if (state == State.PROBING && now - roomMs >= PROBE_MS_MAX) {
            probe = null;
            become(State.PACED);
        }
        if (state == State.PACED) {
            pace(now);
        }
        if (state == State.OPEN) {
            // They came while it opened.
            for (Pass next = waiting.next(); next != null; next = waiting.next()) {
                letThrough(next);
            }
        }
        if (waiting.size() > 0) {
            wakeAt(
                    switch (state) {
                        case OPEN -> throw new IllegalStateException("an open gate holds nothing back");
                        case CLOSED -> closedUntilMs;
                        case PROBING -> roomMs + PROBE_MS_MAX;
                        case PACED -> now + Math.max(1, (long) Math.ceil((1 - room) * 1000 / perSecond));
                    });
        }
    }

    private void pace(long now) {
        double most = Math.max(1, perSecond * BURST_SECONDS);
        room = Math.max(room, Math.min(most, room + (now - roomMs) * perSecond / 1000));
        roomMs = now;
        while (room >= 1 && waiting.size() > 0) {
            Pass next = waiting.next();
            room -= 1;
            if (next != null) {
                letThrough(next);
            }
        }
        if (waiting.size() == 0 && now - troubledMs >= Math.max(CALM_MS_MIN, CALM_PERIODS * periodMs)) {
            become(State.OPEN);
        }
    }

    private void letThrough(Pass pass) {
        underWay.incrementAndGet();
        pass.becomeThrough(closings);
        pass.tellThrough();
    }

    private void wakeAt(long ms) {
        if (wakeup != null && wakeupMs <= ms && wakeupMs > timers.nowMs()) {
            return;
        }
        if (wakeup != null) {
            wakeup.run();
        }
        wakeupMs = ms;
        wakeup = timers.schedule(this::handleWakeup, Math.max(0, ms - timers.nowMs()));
    }

    private void handleWakeup() {
        lock.lock();
        try {
            wakeup = null;
            drain();
        } finally {
            lock.unlock();
        }
    }
}
