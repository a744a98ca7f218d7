package brig.egress.proxy;

import brig.egress.policy.EgressPolicy;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A worker whose sockets the proxy takes.
 *
 * @param worker its name on the link
 * @param placeholders by the secret's name
 * @param allowed hosts that a person allowed since the policy was written
 * @param revoked secrets that were taken back
 */
public record Registration(
        String worker,
        String spawn,
        String agent,
        EgressPolicy policy,
        Map<String, String> placeholders,
        List<String> allowed,
        Set<String> revoked) {}
