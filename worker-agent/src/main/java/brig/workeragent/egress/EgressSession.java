package brig.workeragent.egress;

import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPattern;
import brig.protocol.BrigException;
import brig.protocol.egress.EgressEvent;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A worker with egress, whether a process of it runs or not. */
final class EgressSession {
    private static final int ASKS_MAX = 64;

    final boolean hasWayOut;
    final Supplier<EgressPolicy> policy;
    final Consumer<EgressEvent> events;
    final Set<String> allowed = new LinkedHashSet<>();
    final Set<String> revoked = new HashSet<>();
    /** By host and port. Written by the thread that reads events. */
    final Map<String, EgressOverview.Ask> asks = new ConcurrentHashMap<>();

    EgressSession(boolean hasWayOut, Supplier<EgressPolicy> policy, Consumer<EgressEvent> events) {
        this.hasWayOut = hasWayOut;
        this.policy = policy;
        this.events = events;
    }

    void note(Map<String, @Nullable Object> event) {
        String key = event.get("host") + ":" + event.get("port");
        if ("answered".equals(event.get("kind"))) {
            asks.remove(key);
        } else if ("ask".equals(event.get("kind"))
                && event.get("port") instanceof Long port
                && event.get("deadlineMs") instanceof Long waitsMs) {
            long now = System.currentTimeMillis();
            asks.values().removeIf(ask -> ask.deadlineMs() < now);
            if (asks.size() < ASKS_MAX) {
                asks.put(
                        key,
                        new EgressOverview.Ask(
                                String.valueOf(event.get("host")),
                                port,
                                String.valueOf(event.get("method")),
                                String.valueOf(event.get("rule")),
                                now + waitsMs));
            }
        }
    }

    /** A person answered all that wait for those hosts: they are listed no more, whatever their events take. */
    void answered(HostPattern hosts) {
        asks.values().removeIf(ask -> hosts.matches(ask.host(), (int) ask.port()));
    }

    /** Ports that a person allowed. */
    List<Integer> allowedPorts() {
        return allowed.stream()
                .map(host -> HostPattern.parse(host).port())
                .filter(port -> port > 0)
                .distinct()
                .toList();
    }

    /** A policy that cannot be read now allows nothing. */
    EgressPolicy policyNow() {
        try {
            return policy.get();
        } catch (BrigException e) {
            return EgressPolicy.NONE;
        }
    }
}
