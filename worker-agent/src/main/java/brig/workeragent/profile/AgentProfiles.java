package brig.workeragent.profile;

import brig.egress.policy.EgressPolicy;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.spawn.SpawnRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
         * The agent as a request wants it: on a terminal or not.
         *
         * @throws BrigException {@code INVALID_FIELD} if it has no terminal
         */
        public Named startedFor(SpawnRequest request) {
            return request.talk().tty() == null ? this : new Named(name, profile.onTerminal(name), usualModel, files);
        }

        /** The agent with those model routes. */
        public Named signedIn(EgressPolicy egress) {
            return new Named(name, profile.signedIn(egress), usualModel, files);
        }

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

    private static final int NAME_CHARS_MAX = 64;
    private static final int SLIP_MAX = 2;

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
                    "no agent profile '" + (name.isEmpty() ? asked : name) + "'" + meant(asked, all.keySet())
                            + "; there are " + all.keySet() + ", and worker.agentNames {\"" + asked + "\": PROFILE} or"
                            + " worker.defaultAgent in brig.json say which one other names stand for");
        }
        AgentProfile profile = entry.value();
        if (profile == null) {
            throw new BrigException(
                    ErrorCode.UNKNOWN_AGENT, "agent profile '" + name + "' cannot be used: " + entry.fault());
        }
        return named(name, profile, entry.file());
    }

    /** The name that differs by a slip of the fingers, as a question; empty for none. */
    private static String meant(String asked, Set<String> names) {
        return names.stream()
                .filter(name -> asked.length() <= NAME_CHARS_MAX
                        && distance(asked, name) <= Math.min(SLIP_MAX, asked.length() / 2))
                .min(Comparator.comparingInt(name -> distance(asked, name)))
                .map(name -> "; did you mean '" + name + "'?")
                .orElse("");
    }

    /** How many characters must be added, removed or replaced to come from one to the other. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        Arrays.setAll(row, at -> at);
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
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
