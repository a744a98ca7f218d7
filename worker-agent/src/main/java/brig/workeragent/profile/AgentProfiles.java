package brig.workeragent.profile;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The agent profiles of some folders, {@code <name>.json} each. */
public final class AgentProfiles {
    /**
     * A profile that can be used, by its name.
     *
     * @param files the folder that comes with it; null where there is none
     */
    public record Named(String name, AgentProfile profile, @Nullable Path files) {}

    private final JsonFolders<AgentProfile> files;

    public AgentProfiles(List<Path> folders) {
        files = new JsonFolders<>("agent profile", folders, AgentProfile::read);
        files.entries();
    }

    /**
     * The profile of that name.
     *
     * @throws BrigException {@code UNKNOWN_AGENT}, with the fault where its file has one
     */
    public AgentProfile find(String name) {
        return named(name).profile();
    }

    /** {@link #find}, with what comes with it. */
    public Named named(String name) {
        var all = files.entries();
        var entry = all.get(name);
        if (entry == null) {
            throw new BrigException(
                    ErrorCode.UNKNOWN_AGENT, "no agent profile '" + name + "'; there are " + all.keySet());
        }
        AgentProfile profile = entry.value();
        if (profile == null) {
            throw new BrigException(
                    ErrorCode.UNKNOWN_AGENT, "agent profile '" + name + "' cannot be used: " + entry.fault());
        }
        return new Named(name, profile, filesOf(entry.file()));
    }

    /** The folder of the profile's name beside its file. */
    private static @Nullable Path filesOf(Path file) {
        Path folder = Path.of(file.toString().substring(0, file.toString().length() - ".json".length()));
        return Files.isDirectory(folder) ? folder.toAbsolutePath().normalize() : null;
    }

    /** Why profiles cannot be used, each with its file in front. */
    public List<String> faults() {
        return files.faults().values().stream().map(fault -> "an agent profile cannot be used: " + fault).toList();
    }

    /** The profiles that can be used, by name. */
    public List<Named> usable() {
        return files.entries().entrySet().stream()
                .filter(entry -> entry.getValue().value() != null)
                .map(entry -> new Named(entry.getKey(), Objects.requireNonNull(entry.getValue().value()),
                        filesOf(entry.getValue().file())))
                .toList();
    }
}
