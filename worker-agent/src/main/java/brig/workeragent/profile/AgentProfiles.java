package brig.workeragent.profile;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.spawn.SpawnRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The agent profiles of some folders, {@code <name>.json} each.
 *
 * <p>Decision 0123.
 */
public final class AgentProfiles {
    /**
     * A usable profile, by name.
     *
     * @param usualModel the operator's default model; empty for none
     * @param files the folder beside it; null for none
     */
    public record Named(
            String name,
            AgentProfile profile,
            String usualModel,
            @Nullable Path files) {
        /**
         * Adapts the request to this agent.
         *
         * @throws BrigException {@code INVALID_FIELD} naming a setting that it does not support
         */
        public SpawnRequest told(SpawnRequest request) {
            return profile.told(name, request, usualModel);
        }
    }

    /**
     * The operator's configuration of agents and models.
     *
     * @param defaultAgent the agent for an unknown name; empty for none
     * @param agentNames further names, and the profile of each
     * @param agentModels default models by profile
     */
    public record Names(String defaultAgent, Map<String, String> agentNames, Map<String, String> agentModels) {
        public static final Names NONE = new Names("", Map.of(), Map.of());
    }

    private final JsonFolders<AgentProfile> files;
    private final Names names;

    public AgentProfiles(List<Path> folders) {
        this(folders, Names.NONE);
    }

    public AgentProfiles(List<Path> folders, Names names) {
        this.names = names;
        files = new JsonFolders<>("agent profile", folders, AgentProfile.class);
        files.entries();
    }

    /**
     * The profile of that name, or of the operator's further name.
     *
     * @throws BrigException {@code UNKNOWN_AGENT}, with the fault if its file has one
     */
    public Named named(String asked) {
        var all = files.entries();
        String name = all.containsKey(asked) ? asked : names.agentNames().getOrDefault(asked, names.defaultAgent());
        var entry = all.get(name);
        if (entry == null) {
            throw new BrigException(
                    ErrorCode.UNKNOWN_AGENT,
                    "no agent profile '" + (name.isEmpty() ? asked : name)
                            + "'; there are " + all.keySet() + ", and worker.agentNames {\"" + asked + "\": PROFILE} or"
                            + " worker.defaultAgent in brig.json say which one other names stand for");
        }
        AgentProfile profile = entry.value();
        if (profile == null) {
            throw new BrigException(
                    ErrorCode.UNKNOWN_AGENT, "agent profile '" + name + "' cannot be used: " + entry.fault());
        }
        return named(name, profile, entry.file());
    }

    private Named named(String name, AgentProfile profile, Path file) {
        return new Named(name, profile, names.agentModels().getOrDefault(name, ""), filesOf(file));
    }

    /** The files of the agent of that name here; null for none. */
    public @Nullable Path filesOf(String name) {
        var entry = files.entries().get(name);
        return entry == null ? null : filesOf(entry.file());
    }

    /** The folder of the profile's name beside its file. */
    private static @Nullable Path filesOf(Path file) {
        Path folder = Path.of(file.toString().substring(0, file.toString().length() - ".json".length()));
        return Files.isDirectory(folder) ? folder.toAbsolutePath().normalize() : null;
    }

    /** The faults of unusable profiles, each with its file. */
    public List<String> faults() {
        return files.faults().values().stream()
                .map(fault -> "an agent profile cannot be used: " + fault)
                .toList();
    }

    /** The usable profiles, by name. */
    public List<Named> usable() {
        return files.entries().entrySet().stream()
                .filter(entry -> entry.getValue().value() != null)
                .map(entry -> named(
                        entry.getKey(),
                        Objects.requireNonNull(entry.getValue().value()),
                        entry.getValue().file()))
                .toList();
    }
}
