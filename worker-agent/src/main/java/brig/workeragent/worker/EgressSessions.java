package brig.workeragent.worker;

import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPattern;
import brig.egress.policy.HostPort;
import brig.protocol.control.EgressDecision;
import brig.protocol.egress.EgressEvent;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Registers workers' interest in their network policy and events, for their lifetime. */
public interface EgressSessions {
    /** Who decides, as far as it is known: the captain and the interface that the decision came by. */
    record Person(@Nullable String by, @Nullable String via) {}

    /** Listens for one worker. Must not block. */
    interface Listener {
        void handleEvent(EgressEvent event);

        /** A person decided about these hosts. Called before waiting requests continue. */
        void handleDecided(HostPattern hosts, EgressDecision decision, Person person);
    }

    /**
     * Where the rules and the secrets of a network come from, while its worker runs.
     *
     * @param policy the current policy
     * @param secrets the current values by name; null if the policy names their sources
     */
    record Source(Supplier<EgressPolicy> policy, @Nullable Supplier<Map<String, String>> secrets) {
        /** Of a policy that names the sources of its secrets. */
        public static Source of(Supplier<EgressPolicy> policy) {
            return new Source(policy, null);
        }
    }

    /**
     * Registers a worker.
     *
     * @param atStart the policy that its wall is built for; without egress the wall never gets any
     * @return ends the registration; idempotent
     */
    AutoCloseable open(String spawnId, EgressPolicy atStart, Source source, Listener listener);

    /** Refuses a worker's requests that wait for a host; {@code rule} says why. Does not block. */
    void refuse(String spawnId, HostPort host, String rule);
}
