package brig.egress.rate;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The gates of all routes. One that was not used for some time is forgotten. Thread-safe. */
public final class RouteGates {
    static final int GATES_MAX = 256;
    private static final long UNUSED_MS_MAX = 10 * 60_000;

    private final GateTimers timers;
    private final ReentrantLock lock = new ReentrantLock();
    /** The least recently used first. */
    private final Map<GateKey, RouteGate> gates = new LinkedHashMap<>(16, 0.75f, true);

    public RouteGates(GateTimers timers) {
        this.timers = timers;
    }

    /** The gate of such requests; null if there are too many gates, so that they go through without one. */
    public @Nullable RouteGate of(GateKey key) {
        lock.lock();
        try {
            RouteGate known = gates.get(key);
            if (known == null && hasRoom()) {
                known = new RouteGate(timers);
                gates.put(key, known);
            }
            if (known != null) {
                known.handleUsed();
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    private boolean hasRoom() {
        Iterator<RouteGate> oldest = gates.values().iterator();
        while (oldest.hasNext()) {
            RouteGate gate = oldest.next();
            if (gate.isUnused(UNUSED_MS_MAX) || (gates.size() >= GATES_MAX && gate.isUnused(0))) {
                oldest.remove();
            } else if (gates.size() < GATES_MAX) {
                break;
            }
        }
        return gates.size() < GATES_MAX;
    }

    int size() {
        lock.lock();
        try {
            return gates.size();
        } finally {
            lock.unlock();
        }
    }
}
