package brig.workeragent.worker;

import brig.egress.policy.EgressPolicy;
import brig.protocol.egress.EgressEvent;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Who wants to know what a worker may reach, for as long as it lives. */
public interface EgressSessions {
    /**
     * Begins for a worker.
     *
     * @param atStart what its wall is built for: one that is not open then stays without a way out
     * @param policy what holds now; asked again while it runs
     * @param events takes what happens; must not wait
     * @return ends it; may be closed more than once
     */
    AutoCloseable open(
            String spawnId, EgressPolicy atStart, Supplier<EgressPolicy> policy, Consumer<EgressEvent> events);
}
