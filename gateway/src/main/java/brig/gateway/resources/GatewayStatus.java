package brig.gateway.resources;

import brig.gateway.limits.Admission;
import brig.gateway.limits.ConnectionGuard;
import brig.gateway.session.Sessions;
import brig.gateway.spawn.Spawn;
import brig.gateway.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** How the gateway is: its age, whether it can start anything, its places and who waits for one. Owned by the event loop. */
public final class GatewayStatus {
    private final Sessions sessions;
    private final ConnectionGuard connectionGuard;
    private final Admission admission;
    private final OperatorControls.Unready unready;
    private final long startedMs;
    /** Of a clock that nobody sets. */
    private final LongSupplier nanoTime;

    private final long startedNanos;

    public GatewayStatus(
            Sessions sessions,
            ConnectionGuard connectionGuard,
            OperatorControls controls,
            Clock clock,
            LongSupplier nanoTime) {
        this.sessions = sessions;
        this.connectionGuard = connectionGuard;
        this.admission = controls.admission();
        this.unready = controls.unready();
        this.startedMs = clock.nowMs();
        this.nanoTime = nanoTime;
        this.startedNanos = nanoTime.getAsLong();
    }

    public Map<String, @Nullable Object> view() {
        Map<String, @Nullable Object> status = new LinkedHashMap<>();
        String version = GatewayStatus.class.getPackage().getImplementationVersion();
        status.put("version", version == null ? "development" : version);
        status.put("started_ms", startedMs);
        status.put("uptime_ms", TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - startedNanos));
        status.put("pool", admission.state().wireName());
        status.put("not_ready", unready.reason());
        status.put("workers", admission.workers());
        status.put("workers_max", admission.bounds().workersMax());
        status.put("connections", connectionGuard.places());
        status.put("connections_max", connectionGuard.bounds().placesMax());
        status.put("connections_unauthenticated", connectionGuard.unauthenticated());
        status.put("spawns", states(spawn -> true));
        Map<String, Integer> queue = admission.queue();
        Map<String, @Nullable Object> waiting = new LinkedHashMap<>();
        waiting.put(
                "waiting", queue.values().stream().mapToInt(Integer::intValue).sum());
        waiting.put("max", admission.bounds().queueMax());
        waiting.put("captains", queue);
        waiting.put("estimate_seconds", admission.estimateSeconds());
        status.put("queue", waiting);
        return status;
    }

    /** How many spawns are in each state. */
    Map<String, Integer> states(Predicate<Spawn> of) {
        Map<String, Integer> states = new TreeMap<>();
        sessions.all().stream()
                .filter(of)
                .forEach(spawn -> states.merge(spawn.state().wireName(), 1, Integer::sum));
        return states;
    }
}
