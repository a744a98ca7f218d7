package brig.workeragent.profile;

import brig.egress.policy.EgressPolicy;
import brig.protocol.record.Default;
import brig.protocol.record.Settings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An agent whose requests carry a person's login.
 *
 * @param env variables beside those of {@code env}, or in their place
 * @param without variables that it does not get
 * @param arguments after those of its command
 */
@Settings
public record SignedIn(
        @Default Map<String, String> env,
        @Default List<String> without,
        @Default List<String> arguments) {
    public SignedIn {
        ProfileValues.requireVariables("login.env", env);
        arguments.forEach(argument -> ProfileValues.requireNoNul("login.arguments", argument));
    }

    SignedIn at(EgressPolicy.ModelRoute route) {
        Map<String, String> there = new LinkedHashMap<>();
        env.forEach((name, value) ->
                there.put(name, value.replace("{region}", route.region()).replace("{project}", route.project())));
        return new SignedIn(there, without, arguments);
    }
}
