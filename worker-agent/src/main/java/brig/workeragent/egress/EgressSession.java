package brig.workeragent.egress;

import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPattern;
import brig.protocol.BrigException;
import brig.workeragent.worker.EgressSessions;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A worker with egress, with or without a running process. */
final class EgressSession {
    final boolean hasWayOut;
    final EgressSessions.Source source;
    final EgressSessions.Listener listener;
    final Set<String> allowed = new LinkedHashSet<>();
    final Set<String> revoked = new HashSet<>();
    /** Hosts that a person allowed for one request while no brig-egress ran. */
    final Set<String> allowedOnce = new LinkedHashSet<>();

    EgressSession(boolean hasWayOut, EgressSessions.Source source, EgressSessions.Listener listener) {
        this.hasWayOut = hasWayOut;
        this.source = source;
        this.listener = listener;
    }

    /** Ports that a person allowed. */
    List<Integer> allowedPorts() {
        return allowed.stream()
                .map(host -> HostPattern.parse(host).port())
                .filter(port -> port > 0)
                .distinct()
                .toList();
    }

    /** The current policy; an unreadable one allows nothing. */
    EgressPolicy policyNow() {
        try {
            return source.policy().get();
        } catch (BrigException e) {
            return EgressPolicy.NONE;
        }
    }
}
