package brig.workeragent.profile;

import brig.egress.policy.EgressPolicy;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.io.WholeFile;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.WallDemand;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.EgressVariables;
import brig.workeragent.wall.WallSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policies of some folders, {@code <name>.json} each. A file that is faulty, or unusable on this host, disables
 * only its own name.
 *
 * <p>Decision 0012.
 */
public final class Policies {
    /** A policy that is usable on this host now. */
    public record Named(String name, Policy policy, Confinement confinement) {}

    /**
     * A policy of a spawn, whatever this host has.
     *
     * @param policy with the model routes that the agent needs
     * @param source the file, for refusals
     */
    public record Chosen(String name, Policy policy, String source) {}

    private static final Logger LOG = LoggerFactory.getLogger(Policies.class);

    private final JsonFolders<Policy> files;
    private final MountRules rules;
    private final List<String> choosable;
    private final ModelRoutes routes;
    /** Held while a file is changed. */
    private final ReentrantLock writing = new ReentrantLock();

    /**
     * @param choosable names that a request may choose; an agent profile may name any
     * @param routes for the policy that an agent profile names
     */
    public Policies(List<Path> folders, MountRules rules, List<String> choosable, ModelRoutes routes) {
        this.files = new JsonFolders<>("policy", folders, Policy.class);
        this.rules = rules;
        this.choosable = List.copyOf(choosable);
        this.routes = routes;
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
     * @throws BrigException {@code UNKNOWN_POLICY}; {@code INVALID_POLICY}, naming file and key; {@code
     *     MODEL_ROUTE_MISSING} if the profile needs a model route that this policy lacks
     */
    public Named find(@Nullable String chosen, AgentProfile profile) {
        return resolve(choose(chosen, profile));
    }

    /** The same for a spawn on another host, whose folders are not known here. */
    public Chosen choose(@Nullable String chosen, AgentProfile profile) {
        String name = chosen == null ? profile.policy() : chosen;
        if (!name.equals(profile.policy()) && !choosable.contains(name)) {
            throw new BrigException(
                    ErrorCode.UNKNOWN_POLICY,
                    "no policy '" + name + "' that a request may choose; there are " + choosable);
        }
        var all = files.entries();
        var entry = all.get(name);
        if (entry == null) {
            throw new BrigException(ErrorCode.UNKNOWN_POLICY, "no policy '" + name + "'; there are " + all.keySet());
        }
        Chosen found = chosen(name, entry);
        return new Chosen(name, found.policy().with(withRoutes(found, profile)), found.source());
    }

    private static Chosen chosen(String name, JsonFolders.Entry<Policy> entry) {
        Policy policy = entry.value();
        if (policy == null) {
            throw invalid(name, entry.fault());
        }
        return new Chosen(name, policy, entry.file().toString());
    }

    /** Model routes extend the agent's own policy only, not one that a request chose. */
    private EgressPolicy withRoutes(Chosen found, AgentProfile profile) {
        EgressPolicy egress = found.policy().egress();
        if (!found.name().equals(profile.policy())) {
            profile.models().stream()
                    .filter(model -> !egress.modelRoutes().containsKey(model))
                    .findFirst()
                    .ifPresent(model -> {
                        throw new BrigException(
                                ErrorCode.MODEL_ROUTE_MISSING,
                                "the policy '" + found.name()
                                        + "' has no model route '" + model
                                        + "', which the agent needs: add it to the egress of that policy, or take the agent's own, '"
                                        + profile.policy() + "'");
                    });
            return egress;
        }
        return routes.over(found.name(), egress, profile.models());
    }

    /** The faults of unusable policies and routes, each with its kind. */
    public List<String> faults() {
        List<String> faults = new ArrayList<>();
        files.entries().forEach((name, entry) -> {
            try {
                resolve(name, entry);
            } catch (BrigException e) {
                faults.add(String.valueOf(e.getMessage()));
            }
        });
        routes.faults().values().forEach(fault -> faults.add("a model route cannot be used: " + fault));
        return faults;
    }

    /** The usable policies that a request may choose, by name. */
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
        return resolve(chosen(name, entry));
    }

    /** A policy on this host. @throws BrigException {@code INVALID_POLICY}, naming its source and the key */
    public Named resolve(Chosen chosen) {
        Policy policy = chosen.policy();
        try {
            WallSettings.Limits limits = new WallSettings.Limits(
                    policy.memoryBytesMax(),
                    policy.pidsMax(),
                    policy.cpuPercentMax(),
                    policy.fileBytesMax(),
                    policy.openFilesMax(),
                    policy.tmpBytesMax(),
                    policy.homeBytesMax(),
                    policy.diskBytesMax());
            // Egress variables need not be listed: they come with egress.
            Set<String> variables = new TreeSet<>(policy.environment());
            variables.addAll(EgressVariables.names(policy.egress()));
            return new Named(
                    chosen.name(),
                    policy,
                    new Confinement(
                            policy.workspaceReadOnly(),
                            rules.check(policy),
                            variables,
                            policy.privateFiles(),
                            limits,
                            policy.nested(),
                            policy.egress(),
                            policy.wall().isEmpty() ? null : WallDemand.parse(policy.wall())));
        } catch (IllegalArgumentException e) {
            throw invalid(chosen.name(), chosen.source() + ": " + e.getMessage());
        }
    }

    /**
     * Adds a host to the file of a policy, for all its present and future workers.
     *
     * @return the file
     * @throws BrigException {@code INVALID_POLICY}, saying why it cannot be written there
     */
    public Path allow(String name, String host) {
        var entry = files.entries().get(name);
        if (entry == null || entry.value() == null) {
            throw invalid(name, entry == null ? "it has no file" : entry.fault());
        }
        writing.lock();
        try {
            Path file = entry.file().toRealPath();
            String text = Files.readString(file);
            String changed = withHost(text, host);
            if (!changed.equals(text)) {
                replace(file, changed);
                LOG.info("{} allows {} from now on", file, host);
            }
            return file;
        } catch (IOException | IllegalArgumentException e) {
            throw new BrigException(
                    ErrorCode.INVALID_POLICY,
                    "the policy '" + name + "' cannot be changed: "
                            + entry.file() + ": " + e.getMessage()
                            + "; write the host into it by hand, or into a policy of"
                            + " your own in a folder of worker.policyDirs");
        } finally {
            writing.unlock();
        }
    }

    /** Verifies that only that host was added, whatever the text looks like. */
    private static String withHost(String text, String host) {
        JsonObject values = JsonObject.readCommented(text);
        List<Object> hosts = values.as(Policy.class).egress().allowedHosts();
        if (hosts.contains(host)) {
            return text;
        }
        List<Object> all = new ArrayList<>(List.of(host));
        all.addAll(hosts);
        JsonObject wanted = values.with("egress", values.object("egress").with("allowedHosts", all));
        String changed = PolicyText.withHost(text, host);
        JsonObject read = JsonObject.readCommented(changed);
        if (!read.equals(wanted)) {
            throw new IllegalArgumentException("its text is not understood");
        }
        read.as(Policy.class);
        return changed;
    }

    /** Atomically, with the owner and the mode of the file. */
    private static void replace(Path file, String text) throws IOException {
        WholeFile.write(file, fresh -> {
            Files.writeString(fresh, text);
            PosixFileAttributes before = Files.readAttributes(file, PosixFileAttributes.class);
            PosixFileAttributeView view = Files.getFileAttributeView(fresh, PosixFileAttributeView.class);
            view.setOwner(before.owner());
            view.setGroup(before.group());
            view.setPermissions(before.permissions());
        });
    }

    private static BrigException invalid(String name, String why) {
        return new BrigException(ErrorCode.INVALID_POLICY, "policy '" + name + "' cannot be used: " + why);
    }
}
