package brig.workeragent.worker;

import brig.workeragent.egress.policy.EgressPolicy;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Who wants to know what a worker may reach, for as long as it lives. */
public interface EgressSessions {
    /**
     * Begins for a worker.
     *
     * @param policy what holds now; asked again while it runs
     * @param events takes what happens; must not wait
     * @return ends it; may be closed more than once
     */
    AutoCloseable open(String spawnId, Supplier<EgressPolicy> policy, Consumer<Map<String, Object>> events);
}
