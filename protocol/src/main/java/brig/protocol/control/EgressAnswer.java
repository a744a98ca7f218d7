package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;

/**
 * What a worker may reach on the network.
 *
 * @param policy its name
 * @param wayOut whether its wall was built with network access
 * @param allowed hosts as in its policy: texts, or objects of a host and further conditions
 * @param tunnelled hosts whose TLS is not intercepted
 * @param allowedMeanwhile hosts that a person allowed since the start
 * @param asks requests that wait for a person
 */
@Extensible
public record EgressAnswer(
        String spawnId,
        String policy,
        boolean wayOut,
        List<Object> allowed,
        List<String> denied,
        List<String> tunnelled,
        List<String> allowedMeanwhile,
        List<SecretUse> secrets,
        List<OpenAsk> asks) {
    /** A secret that is added to requests to these hosts. Its source is omitted, since not everybody may know it. */
    @Extensible
    public record SecretUse(String name, List<String> hosts, boolean revoked) {}

    /**
     * A request that waits for a person.
     *
     * @param rule the rule of the policy that asks
     * @param deadlineMs when it stops waiting, milliseconds since 1970
     */
    @Extensible
    public record OpenAsk(String host, long port, String method, String rule, long deadlineMs) {}
}
