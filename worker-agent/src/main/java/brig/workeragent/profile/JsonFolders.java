package brig.workeragent.profile;

import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Values in files {@code <name>.json} with comments, in some folders; later folders take precedence. Files are read at
 * the start, and again if they changed at the time of a query. A faulty file disables only its own name.
 *
 * <p>Decision 0120.
 */
final class JsonFolders<T> {
    /** The result of a file: a value, or a fault that names file and key. */
    record Entry<T>(Path file, FileTime modified, @Nullable T value, String fault) {}

    private static final Logger LOG = LoggerFactory.getLogger(JsonFolders.class);
    private static final String SUFFIX = ".json";
    private static final String SCHEMA_SUFFIX = ".schema.json";

    private final String what;
    private final List<Path> folders;
    private final Class<T> type;
    private final ReentrantLock lock = new ReentrantLock();
    /** By name. Guarded by the lock. */
    private SortedMap<String, Entry<T>> entries = new TreeMap<>();

    /**
     * Reads nothing yet.
     *
     * @param what for the log, such as "agent profile"
     * @param type the record that a file has
     */
    JsonFolders(String what, List<Path> folders, Class<T> type) {
        this.what = what;
        this.folders = List.copyOf(folders);
        this.type = type;
    }

    /** All current files, by name. */
    SortedMap<String, Entry<T>> entries() {
        lock.lock();
        try {
            SortedMap<String, Entry<T>> fresh = new TreeMap<>();
            for (Path folder : folders) {
                readFolder(folder, fresh);
            }
            entries = fresh;
            return fresh;
        } finally {
            lock.unlock();
        }
    }

    /** The faults of unusable files, each with its path, by name. */
    SortedMap<String, String> faults() {
        SortedMap<String, String> faults = new TreeMap<>();
        entries().forEach((name, entry) -> {
            if (entry.value() == null) {
                faults.put(name, entry.fault());
            }
        });
        return faults;
    }

    private void readFolder(Path folder, Map<String, Entry<T>> fresh) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (Path file : files) {
                String fileName = String.valueOf(file.getFileName());
                if (!fileName.endsWith(SCHEMA_SUFFIX)) {
                    String name = fileName.substring(0, fileName.length() - SUFFIX.length());
                    fresh.put(name, readFile(file, entries.get(name)));
                }
            }
        } catch (NoSuchFileException e) {
            LOG.debug("no folder {}", folder);
        } catch (IOException | DirectoryIteratorException e) {
            LOG.error("cannot read the folder {}: {}", folder, e.toString());
        }
    }

    private Entry<T> readFile(Path file, @Nullable Entry<T> known) {
        FileTime modified = FileTime.fromMillis(0);
        try {
            modified = Files.getLastModifiedTime(file);
            if (known != null && known.file().equals(file) && known.modified().equals(modified)) {
                return known;
            }
            T value = JsonObject.readCommented(Files.readString(file)).as(type);
            return new Entry<>(file, modified, value, "");
        } catch (IOException | BrigException e) {
            String why = e instanceof BrigException ? e.getMessage() : e.toString();
            LOG.error("{} {} cannot be used: {}", what, file, why);
            return new Entry<>(file, modified, null, file + ": " + why);
        }
    }
}
