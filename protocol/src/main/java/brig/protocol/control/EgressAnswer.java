package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;

/**
 * What a worker may reach of the outside.
 *
 * @param policy its name
 * @param wayOut whether its wall was built with one
 * @param allowed hosts as its policy has them: texts, and objects of a host and what else is asked for there
 * @param tunnelled hosts whose encryption is not opened
 * @param allowedMeanwhile what a person allowed while it ran
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
    /** A secret that is added to requests to these hosts. Where it comes from is not said: that not everybody may know. */
    @Extensible
    public record SecretUse(String name, List<String> hosts, boolean revoked) {}

    /**
     * A request that waits for a person.
     *
     * @param rule which rule of the policy asks
     * @param deadlineMs until when it waits, milliseconds since 1970
     */
    @Extensible
    public record OpenAsk(String host, long port, String method, String rule, long deadlineMs) {}
}
