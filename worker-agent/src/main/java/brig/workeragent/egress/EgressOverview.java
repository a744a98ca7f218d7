package brig.workeragent.egress;

import brig.egress.policy.EgressPolicy;
import java.util.List;

/**
 * What a worker may reach.
 *
 * @param hasWayOut whether its wall was built with one
 * @param allowed what a person allowed it meanwhile
 * @param revoked secrets that were taken back from it
 */
public record EgressOverview(
        boolean hasWayOut, EgressPolicy policy, List<String> allowed, List<String> revoked, List<Ask> asks) {
    /** A request that waits for a person until that time. */
    public record Ask(String host, long port, String method, String rule, long deadlineMs) {}
}
