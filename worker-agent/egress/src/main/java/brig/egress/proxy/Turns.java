package brig.egress.proxy;

import brig.egress.policy.HostPort;
import brig.egress.rate.GateTimers;
import brig.protocol.egress.EgressEvent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells people that requests of a worker wait for their turn at a provider, and that none does any longer: late, so that
 * short waits are not told. State owned by the worker's event loop, whose timers it has.
 *
 * <p>Decision 0204.
 */
final class Turns {
    static final long TOLD_AFTER_MS = 500;
    static final long OVER_AFTER_MS = 1_000;

    private static final String RULE = "the provider asked to send less: requests to it wait for their turn";

    private final GateTimers timers;
    private final Consumer<EgressEvent> events;
    private int waiting;
    private long sinceMs;
    private long lastMs;
    private @Nullable HostPort provider;
    private boolean told;
    private boolean checks;

    Turns(GateTimers timers, Consumer<EgressEvent> events) {
        this.timers = timers;
        this.events = events;
    }

    /** A request begins to wait. */
    void begin(HostPort at) {
        waiting++;
        if (waiting == 1 && !told) {
            provider = at;
            sinceMs = timers.nowMs();
        }
        checkIn(TOLD_AFTER_MS);
    }

    /** A request waits no longer. */
    void end() {
        waiting--;
        lastMs = timers.nowMs();
        if (told) {
            checkIn(OVER_AFTER_MS);
        }
    }

    /** The worker ended. */
    void close() {
        if (told && provider != null) {
            events.accept(new EgressEvent.ProviderResumed(provider.host(), provider.port(), timers.nowMs() - sinceMs));
        }
        told = false;
        provider = null;
    }

    private void checkIn(long ms) {
        if (!checks) {
            checks = true;
            timers.schedule(this::check, ms);
        }
    }

    private void check() {
        checks = false;
        HostPort at = provider;
        long now = timers.nowMs();
        if (at == null || (!told && waiting == 0)) {
            return;
        }
        if (!told) {
            if (now - sinceMs < TOLD_AFTER_MS) {
                checkIn(TOLD_AFTER_MS - (now - sinceMs));
                return;
            }
            told = true;
            events.accept(new EgressEvent.ThrottledByProvider(at.host(), at.port(), RULE));
        } else if (waiting == 0) {
            if (now - lastMs < OVER_AFTER_MS) {
                checkIn(OVER_AFTER_MS - (now - lastMs));
                return;
            }
            told = false;
            events.accept(new EgressEvent.ProviderResumed(at.host(), at.port(), lastMs - sinceMs));
        }
        if (told && waiting == 0) {
            checkIn(OVER_AFTER_MS);
        }
    }
}
