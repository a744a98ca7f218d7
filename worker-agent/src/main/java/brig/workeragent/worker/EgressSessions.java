package brig.workeragent.worker;

import brig.egress.policy.EgressPolicy;
import brig.protocol.egress.EgressEvent;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Registers workers' interest in their network policy and events, for their lifetime. */
public interface EgressSessions {
    /**
     * Registers a worker.
     *
     * @param atStart the policy that its wall is built for; without egress the wall never gets any
     * @param policy the current policy; queried again while the worker runs
     * @param events receives events; must not block
     * @return ends the registration; idempotent
     */
    AutoCloseable open(
            String spawnId, EgressPolicy atStart, Supplier<EgressPolicy> policy, Consumer<EgressEvent> events);
}
