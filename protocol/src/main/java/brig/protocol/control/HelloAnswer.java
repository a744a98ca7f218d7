package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;

/**
 * The identity of a worker-agent, and what captains may request from it.
 *
 * @param instance random for each start of a worker-agent; a new value means that all earlier workers are gone
 * @param pid of its process
 * @param limits how resource limits are enforced: by cgroup2, cgroup1 or rlimits
 * @param faults which of the operator's files are unusable, in words
 */
@Extensible
public record HelloAnswer(
        String instance,
        long pid,
        String version,
        String limits,
        List<AgentOffer> agents,
        List<PolicyOffer> policies,
        List<String> faults) {
    /** A policy that a request may select. */
    @Extensible
    public record PolicyOffer(String name, String description) {}
}
