package brig.workeragent.handover;

import brig.egress.secret.SecretSources;
import brig.protocol.BrigException;
import brig.workeragent.profile.AgentProfile;
import brig.workeragent.profile.Policies;
import brig.workeragent.profile.Policy;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What one worker on another host runs with. It is checked as the files are.
 *
 * <p>Decision 0169.
 *
 * @param usualModel the operator's default model; empty for none
 * @param files whether a folder of the agent's name is beside the profile, which must be on the host too
 * @param policy without the sources of secrets; without a network if home serves it
 * @param secrets the values that home has, by name; none if home serves the network
 */
public record Handover(
        String agent,
        AgentProfile profile,
        String usualModel,
        boolean files,
        String policyName,
        Policy policy,
        Map<String, String> secrets) {
    /** A name becomes part of names of files, as it is one at home. */
    private static final Pattern NAME = Pattern.compile("[^/\\x00.][^/\\x00]{0,127}");

    /** @throws BrigException {@code INVALID_FIELD}, without any value of a secret */
    public Handover {
        requireName("agent", agent);
        requireName("policy_name", policyName);
        secrets = Map.copyOf(secrets);
        secrets.forEach((name, value) -> {
            if (!policy.egress().secrets().containsKey(name)) {
                throw BrigException.invalid("secrets", "has one that the policy has not");
            }
            String fault = SecretSources.faultOf(value);
            if (fault != null) {
                throw BrigException.invalid("secrets." + name, fault);
            }
        });
    }

    private static void requireName(String field, String name) {
        if (!NAME.matcher(name).matches()) {
            throw BrigException.invalid(field, "is no name");
        }
    }

    /** The policy, to be judged on the worker's host. */
    public Policies.Chosen chosen() {
        return new Policies.Chosen(policyName, policy, "the gateway's host");
    }

    /** No values of secrets. */
    @Override
    public String toString() {
        return "agent " + agent + ", policy " + policyName + ", secrets " + secrets.keySet();
    }
}
