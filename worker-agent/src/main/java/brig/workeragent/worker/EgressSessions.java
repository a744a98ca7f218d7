package brig.workeragent.worker;

import brig.egress.budget.Limit;
import brig.egress.budget.PurseSpec;
import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPattern;
import brig.egress.policy.HostPort;
import brig.protocol.BrigException;
import brig.protocol.control.EgressDecision;
import brig.protocol.egress.EgressEvent;
import java.util.List;
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

        /** Something outside the wall hinders the worker's requests, and a person can mend it. */
        void handleFault(BrigException fault);

        /** Asks a person about its logins; null if nobody is asked. */
        default @Nullable LoginAsker logins() {
            return null;
        }
    }

    /** Asks a person about logins that their vendors refuse. Must not block; thread-safe. */
    interface LoginAsker {
        /**
         * A request waits for that login.
         *
         * @param name of its model route
         * @param command makes it anew
         * @param why it cannot be used
         */
        void ask(String secret, String name, String command, String why);

        /** The login can be used: nobody needs to answer. */
        void handleBack(String secret);

        /** The secrets whose login a person is asked about. */
        List<String> asked();
    }

    /**
     * Where the rules and the secrets of a network come from, while its worker runs.
     *
     * @param policy the current policy
     * @param secrets the current values by name; null if the policy names their sources
     * @param purses what its requests are charged to
     */
    record Source(
            Supplier<EgressPolicy> policy,
            @Nullable Supplier<Map<String, String>> secrets,
            Supplier<List<PurseSpec>> purses) {
        /** Of a policy that names the sources of its secrets, for a worker without a budget. */
        public static Source of(Supplier<EgressPolicy> policy) {
            return new Source(policy, null, List::of);
        }

        /** The same with these purses. */
        public Source charging(Supplier<List<PurseSpec>> others) {
            return new Source(policy, secrets, others);
        }
    }

    /**
     * Registers a worker.
     *
     * @param atStart the policy that its wall is built for; without egress the wall never gets any
     * @return ends the registration; idempotent
     */
    AutoCloseable open(String spawnId, EgressPolicy atStart, Source source, Listener listener);

    /** Changes the limit of a worker's purse. Does not block. */
    void limit(String spawnId, Limit limit);

    /** A person was asked about a login: its requests go on with what it is now, or are refused. Does not block. */
    void tryLogins(String spawnId);

    /** Refuses a worker's requests that wait for a host; {@code rule} says why. Does not block. */
    void refuse(String spawnId, HostPort host, String rule);
}
