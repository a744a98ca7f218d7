package brig.workeragent.profile;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.EgressVariables;
import brig.workeragent.wall.WallSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policies of some folders, {@code <name>.json} each. A file with a fault, in itself or with regard to
 * this host, takes only its own name out of use.
 */
public final class Policies {
    /** A policy that can be used on this host now. */
    public record Named(String name, Policy policy, Confinement confinement) {}

    private static final Logger LOG = LoggerFactory.getLogger(Policies.class);

    private final JsonFolders<Policy> files;
    private final MountRules rules;
    private final List<String> choosable;

    /** @param choosable names that a request may choose; an agent profile may name any */
    public Policies(List<Path> folders, MountRules rules, List<String> choosable) {
        this.files = new JsonFolders<>("policy", folders, Policy::read);
        this.rules = rules;
        this.choosable = List.copyOf(choosable);
        files.entries().forEach((name, entry) -> {
            try {
                if (entry.value() != null) {
                    resolve(name, entry);
                }
            } catch (BrigException e) {
                LOG.error("{}", e.getMessage());
            }
        });
    }

    /**
     * The policy of a spawn.
     *
     * @param chosen by the request; null leaves it to the profile
     * @throws BrigException {@code UNKNOWN_POLICY}; {@code INVALID_POLICY}, naming file and key
     */
    public Named find(@Nullable String chosen, AgentProfile profile) {
        String name = chosen == null ? profile.policy() : chosen;
        if (!name.equals(profile.policy()) && !choosable.contains(name)) {
            throw new BrigException(ErrorCode.UNKNOWN_POLICY,
                    "no policy '" + name + "' that a request may choose; there are " + choosable);
        }
        var all = files.entries();
        var entry = all.get(name);
        if (entry == null) {
            throw new BrigException(
                    ErrorCode.UNKNOWN_POLICY, "no policy '" + name + "'; there are " + all.keySet());
        }
        return resolve(name, entry);
    }

    /** The policies that can be used here and that a request may choose, by name. */
    public List<Named> usable() {
        List<Named> usable = new ArrayList<>();
        files.entries().forEach((name, entry) -> {
            try {
                if (choosable.contains(name)) {
                    usable.add(resolve(name, entry));
                }
            } catch (BrigException e) {
                LOG.debug("not listed: {}", e.getMessage());
            }
        });
        return usable;
    }

    private Named resolve(String name, JsonFolders.Entry<Policy> entry) {
        Policy policy = entry.value();
        if (policy == null) {
            throw invalid(name, entry.fault());
        }
        try {
            WallSettings.Limits limits = new WallSettings.Limits(policy.memoryBytesMax(), policy.pidsMax(),
                    policy.cpuPercentMax(), policy.fileBytesMax(), policy.openFilesMax(), policy.tmpBytesMax(),
                    policy.homeBytesMax());
            // What leads out need not be named among the variables: it comes with the way out.
            Set<String> variables = new TreeSet<>(policy.environment());
            variables.addAll(EgressVariables.names(policy.egress()));
            return new Named(name, policy, new Confinement(policy.workspaceReadOnly(), rules.check(policy),
                    variables, policy.privateFiles(), limits, policy.nested(), policy.egress()));
        } catch (IllegalArgumentException e) {
            throw invalid(name, entry.file() + ": " + e.getMessage());
        }
    }

    private static BrigException invalid(String name, String why) {
        return new BrigException(ErrorCode.INVALID_POLICY, "policy '" + name + "' cannot be used: " + why);
    }
}
