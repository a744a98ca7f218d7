package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.limits.Admission;
import brig.gateway.limits.ConnectionGuard;
import brig.gateway.session.Sessions;
import brig.gateway.spawn.Spawn;
import brig.gateway.time.Clock;
import brig.protocol.api.GatewayView;
import brig.protocol.api.HostView;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The status of the gateway: its age, its readiness, its places, its queue and its hosts. Owned by the event loop. */
public final class GatewayStatus {
    private final Sessions sessions;
    private final ConnectionGuard connectionGuard;
    private final Admission admission;
    private final OperatorControls.Unready unready;
    private final Supplier<List<HostView>> hosts;
    private final long startedMs;
    /** A monotonic clock. */
    private final LongSupplier nanoTime;

    private final long startedNanos;

    public GatewayStatus(
            Sessions sessions,
            ConnectionGuard connectionGuard,
            OperatorControls controls,
            Supplier<List<HostView>> hosts,
            Clock clock,
            LongSupplier nanoTime) {
        this.sessions = sessions;
        this.connectionGuard = connectionGuard;
        this.admission = controls.admission();
        this.unready = controls.unready();
        this.hosts = hosts;
        this.startedMs = clock.nowMs();
        this.nanoTime = nanoTime;
        this.startedNanos = nanoTime.getAsLong();
    }

    /** The status for an admin. */
    public GatewayView view() {
        return view(spawn -> true, admission.queue(), hosts.get());
    }

    /** The status for that access: an admin sees the spawns and waiting requests of all captains, others their own. */
    public GatewayView view(Access access) {
        if (access.isAdmin()) {
            return view();
        }
        Map<String, Integer> own = new TreeMap<>(admission.queue());
        own.keySet().retainAll(Set.of(access.captain()));
        return view(
                access::sees,
                own,
                hosts.get().stream().map(HostView::forCaptain).toList());
    }

    private GatewayView view(Predicate<Spawn> shown, Map<String, Integer> captains, List<HostView> known) {
        String version = GatewayStatus.class.getPackage().getImplementationVersion();
        return new GatewayView(
                version == null ? "development" : version,
                startedMs,
                TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - startedNanos),
                admission.state(),
                unready.reason(),
                admission.workers(),
                admission.bounds().workersMax(),
                connectionGuard.places(),
                connectionGuard.bounds().placesMax(),
                connectionGuard.unauthenticated(),
                states(shown),
                new GatewayView.Queue(
                        admission.queue().values().stream()
                                .mapToInt(Integer::intValue)
                                .sum(),
                        admission.bounds().queueMax(),
                        captains,
                        admission.estimateSeconds()),
                known.stream()
                        .map(host -> new GatewayView.Host(host.name(), host.state(), host.reason()))
                        .toList());
    }

    /** The number of spawns by state. */
    Map<String, Integer> states(Predicate<Spawn> of) {
        Map<String, Integer> states = new TreeMap<>();
        sessions.all().stream()
                .filter(of)
                .forEach(spawn -> states.merge(spawn.state().wireName(), 1, Integer::sum));
        return states;
    }
}
