package brig.workeragent.profile;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Json;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agent profiles of some folders, {@code <name>.json} each; a later folder wins. A file is read at start
 * and again when it changed, which is looked at whenever somebody asks. A file with a fault takes only its
 * own name out of use.
 */
public final class AgentProfiles {
    /** What a file came to: a profile, or a fault. */
    private record Entry(Path file, FileTime modified, @Nullable AgentProfile profile, String fault) {}

    /** A profile that can be used, by its name. */
    public record Named(String name, AgentProfile profile) {}

    private static final Logger LOG = LoggerFactory.getLogger(AgentProfiles.class);
    private static final String SUFFIX = ".json";

    private final List<Path> folders;
    private final ReentrantLock lock = new ReentrantLock();
    /** By name. Guarded by the lock. */
    private Map<String, Entry> entries = new HashMap<>();

    public AgentProfiles(List<Path> folders) {
        this.folders = List.copyOf(folders);
        refresh();
    }

    /**
     * The profile of that name.
     *
     * @throws BrigException {@code UNKNOWN_AGENT}, with the fault where its file has one
     */
    public AgentProfile find(String name) {
        Map<String, Entry> all = refresh();
        Entry entry = all.get(name);
        if (entry == null) {
            throw new BrigException(
                    ErrorCode.UNKNOWN_AGENT, "no agent profile '" + name + "'; there are " + names(all));
        }
        if (entry.profile() == null) {
            throw new BrigException(
                    ErrorCode.UNKNOWN_AGENT, "agent profile '" + name + "' cannot be used: " + entry.fault());
        }
        return entry.profile();
    }

    /** The profiles that can be used, by name. */
    public List<Named> usable() {
        return new TreeMap<>(refresh()).entrySet().stream()
                .filter(entry -> entry.getValue().profile() != null)
                .map(entry -> new Named(entry.getKey(), Objects.requireNonNull(entry.getValue().profile())))
                .toList();
    }

    private static Collection<String> names(Map<String, Entry> all) {
        return new TreeMap<>(all).keySet();
    }

    private Map<String, Entry> refresh() {
        lock.lock();
        try {
            Map<String, Entry> fresh = new HashMap<>();
            for (Path folder : folders) {
                readFolder(folder, fresh);
            }
            entries = fresh;
            return fresh;
        } finally {
            lock.unlock();
        }
    }

    private void readFolder(Path folder, Map<String, Entry> fresh) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (Path file : files) {
                String fileName = String.valueOf(file.getFileName());
                String name = fileName.substring(0, fileName.length() - SUFFIX.length());
                fresh.put(name, readFile(file, entries.get(name)));
            }
        } catch (NoSuchFileException e) {
            LOG.debug("no folder of agent profiles {}", folder);
        } catch (IOException | DirectoryIteratorException e) {
            LOG.warn("cannot read the agent profiles of {}: {}", folder, e.toString());
        }
    }

    private static Entry readFile(Path file, @Nullable Entry known) {
        FileTime modified = FileTime.fromMillis(0);
        try {
            modified = Files.getLastModifiedTime(file);
            if (known != null && known.file().equals(file) && known.modified().equals(modified)) {
                return known;
            }
            AgentProfile profile = AgentProfile.read(Json.parseCommented(Files.readString(file)));
            return new Entry(file, modified, profile, "");
        } catch (IOException | BrigException e) {
            String why = e instanceof BrigException ? e.getMessage() : e.toString();
            LOG.warn("agent profile {} cannot be used: {}", file, why);
            return new Entry(file, modified, null, file + ": " + why);
        }
    }
}
