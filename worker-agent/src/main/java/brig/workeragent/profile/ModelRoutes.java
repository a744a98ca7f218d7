package brig.workeragent.profile;

import brig.egress.policy.EgressPolicy;
import brig.egress.policy.EgressPolicy.ModelRoute;
import brig.egress.policy.EgressPolicy.Secret;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.record.Default;
import brig.protocol.record.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The model routes written by {@code brig route set}, {@code <name>.json} each, with {@code secrets} and {@code
 * modelRoutes} as in the object {@code egress} of a policy. They are laid over the policy that an agent profile names,
 * so that a key does not require a copy of the policy.
 *
 * <p>Decision 0119.
 */
public final class ModelRoutes {
    /** What a file has. */
    @Settings
    record SetRoutes(
            @Default Map<String, ModelRoute> modelRoutes,
            @Default Map<String, Secret> secrets) {
        SetRoutes {
            EgressPolicy.NONE.with(modelRoutes, secrets);
        }
    }

    private final JsonFolders<SetRoutes> files;

    /** @param folder need not exist */
    public ModelRoutes(Path folder) {
        files = new JsonFolders<>("model route", List.of(folder), SetRoutes.class);
    }

    /**
     * A policy's egress with those of the named routes that it lacks.
     *
     * @throws BrigException {@code INVALID_POLICY} if such a file is unusable; {@code MODEL_ROUTE_MISSING}, with the
     *     commands that set a route, if there is none
     */
    EgressPolicy over(String policy, EgressPolicy egress, List<String> names) {
        var entries = names.isEmpty() ? Map.<String, JsonFolders.Entry<SetRoutes>>of() : files.entries();
        EgressPolicy whole = egress;
        for (String name : names) {
            if (!egress.modelRoutes().containsKey(name)) {
                var entry = entries.get(name);
                if (entry == null) {
                    throw missing(policy, name);
                }
                whole = with(whole, name, entry);
            }
        }
        return whole;
    }

    private static EgressPolicy with(EgressPolicy egress, String name, JsonFolders.Entry<SetRoutes> entry) {
        SetRoutes set = entry.value();
        ModelRoute route = set == null ? null : set.modelRoutes().get(name);
        if (set == null || route == null) {
            throw invalid(name, set == null ? entry.fault() : entry.file() + ": modelRoutes must have '" + name + "'");
        }
        Secret secret = set.secrets().get(route.secret());
        if (secret == null) {
            return egress.with(Map.of(name, route), Map.of());
        }
        // The policy's own secret may be for other hosts.
        if (egress.secrets().containsKey(route.secret())) {
            throw invalid(name, entry.file() + ": the policy has a secret '" + route.secret() + "' of its own");
        }
        return egress.with(Map.of(name, route), Map.of(route.secret(), secret));
    }

    private static BrigException invalid(String name, String why) {
        return new BrigException(ErrorCode.INVALID_POLICY, "the model route '" + name + "' cannot be used: " + why);
    }

    /** The refusal with the commands that set the route. */
    static BrigException missing(String policy, String name) {
        return new BrigException(
                ErrorCode.MODEL_ROUTE_MISSING,
                "the agent has no way to its model: there is no route '" + name
                        + "', in its policy '" + policy + "' or set\n  brig route set " + name
                        + " --key-file FILE\n  brig route set "
                        + name + " --url http://127.0.0.1:PORT    (a model of this host)\n  brig route test " + name);
    }

    /** The faults of unusable files, by name. */
    Map<String, String> faults() {
        return files.faults();
    }
}
