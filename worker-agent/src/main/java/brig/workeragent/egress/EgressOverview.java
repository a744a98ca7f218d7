package brig.workeragent.egress;

import brig.egress.policy.EgressPolicy;
import java.util.List;

/**
 * The network access of a worker.
 *
 * @param hasWayOut whether its wall was built with a way out
 * @param allowed hosts that a person allowed since
 * @param revoked its revoked secrets
 */
public record EgressOverview(boolean hasWayOut, EgressPolicy policy, List<String> allowed, List<String> revoked) {}
