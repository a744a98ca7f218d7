package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;

/**
 * What a worker-agent is, and what captains may ask for there.
 *
 * @param instance random for each start of a worker-agent: another one means that all workers are new
 * @param pid of its process
 * @param limits how well resource limits hold: by cgroup2, cgroup1 or rlimits
 * @param faults what of the operator's files cannot be used, in words
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
    /** A policy that a request may choose. */
    @Extensible
    public record PolicyOffer(String name, String description) {}
}
