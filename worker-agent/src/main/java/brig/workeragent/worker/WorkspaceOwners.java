package brig.workeragent.worker;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.WholeFile;
import brig.protocol.json.Json;
import brig.protocol.record.Extensible;
import brig.protocol.record.NotEmpty;
import brig.protocol.spawn.SpawnRequest.Asker;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whose a folder is. While a spawn works in one it is that of the spawn's captain, with all that lies above and below it;
 * a folder that Brig made stays its captain's for as long as it is there, of which a note outlives this worker-agent. A
 * folder that was there before belongs to nobody when nobody works in it.
 *
 * <p>Not safe for threads: {@link Workspaces} guards it.
 *
 * <p>Decision 0115.
 */
final class WorkspaceOwners {
    private static final Logger LOG = LoggerFactory.getLogger(WorkspaceOwners.class);

    /** A folder by its real path, and its captain. */
    private record Stay(Path folder, String captain) {
        /** Whether who gets that folder gets at something of this one. */
        boolean touches(Path other) {
            return folder.startsWith(other) || other.startsWith(folder);
        }

        /** Whether who works there can put a link in the place of that folder. */
        boolean isAbove(Path other) {
            return other.startsWith(folder) && !other.equals(folder);
        }
    }

    /** What is kept of the stay in a folder that Brig made. */
    @Extensible
    private record Note(@NotEmpty String folder, @NotEmpty String captain) {}

    private final Path notes;
    /** By spawn_id. */
    private final Map<String, Stay> live = new HashMap<>();
    /** Of folders that Brig made. */
    private final Map<Path, Stay> owned = new HashMap<>();

    /** @param notes the folder of the notes, which is made if it is needed */
    WorkspaceOwners(Path notes) {
        this.notes = notes;
        if (!Files.isDirectory(notes)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(notes, "*.json")) {
            for (Path file : files) {
                read(file);
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot read whose the workspaces are: " + Reason.withFile(e));
        }
    }

    private void read(Path file) throws IOException {
        try {
            Note note = Json.read(Files.readAllBytes(file), Note.class);
            Stay stay = new Stay(Path.of(note.folder()), note.captain());
            if (Files.exists(stay.folder(), LinkOption.NOFOLLOW_LINKS)) {
                owned.put(stay.folder(), stay);
            } else {
                Files.delete(file);
            }
        } catch (BrigException broken) {
            LOG.warn("{} cannot be read, and nobody owns what it is about: {}", file, broken.getMessage());
        }
    }

    /**
     * Whether a spawn may work in that folder. To share is to be in the same one: walls mount by path, and who works above a
     * folder can exchange it for a link.
     *
     * @param shares whether the request says that it may be where another session is
     * @throws BrigException {@code WORKSPACE_IN_USE}
     */
    void requireFree(Path folder, Asker asker, boolean shares) {
        requireNotOfOthers(folder, asker, shares);
        if (live.values().stream()
                .anyMatch(stay -> stay.touches(folder) && !stay.folder().equals(folder))) {
            throw new BrigException(
                    ErrorCode.WORKSPACE_IN_USE,
                    "a live session works above or below " + folder + ": wait for its end, or name its folder");
        }
        if (!shares && live.values().stream().anyMatch(stay -> stay.touches(folder))) {
            throw new BrigException(
                    ErrorCode.WORKSPACE_IN_USE,
                    "a live session of yours works in " + folder
                            + ": wait for its end, or say share_workspace (--share-workspace)");
        }
    }

    /**
     * Whether what a spawn works in may be made of that folder.
     *
     * @throws BrigException {@code WORKSPACE_IN_USE}
     */
    void requireNotOfOthers(Path folder, Asker asker, boolean shares) {
        boolean mayHaveAll = asker.admin() && shares;
        if (!mayHaveAll
                && (live.values().stream().anyMatch(stay -> isOfAnother(stay, folder, asker))
                        || owned.values().stream()
                                .anyMatch(stay -> isOfAnother(stay, folder, asker) && isThere(stay)))) {
            throw new BrigException(
                    ErrorCode.WORKSPACE_IN_USE,
                    folder + " is another captain's, or holds or lies in one that is: "
                            + "choose another; an admin may say share_workspace (--share-workspace)");
        }
        if (live.values().stream().anyMatch(stay -> stay.isAbove(folder))) {
            throw new BrigException(
                    ErrorCode.WORKSPACE_IN_USE, "a live session works above " + folder + ": wait for its end");
        }
    }

    private static boolean isOfAnother(Stay stay, Path folder, Asker asker) {
        return !stay.captain().equals(asker.captain()) && stay.touches(folder);
    }

    private static boolean isThere(Stay stay) {
        return Files.exists(stay.folder(), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * A spawn works there from now on.
     *
     * @param made whether Brig made the folder for it
     */
    void enter(String spawnId, Path folder, Asker asker, boolean made) {
        Stay stay = new Stay(folder, asker.captain());
        if (made) {
            write(stay);
            owned.put(folder, stay);
        }
        live.put(spawnId, stay);
    }

    /** Whether other spawns than that one work there, above or below it. */
    boolean hasOthers(String spawnId, Path folder) {
        return live.entrySet().stream()
                .anyMatch(stay ->
                        !stay.getKey().equals(spawnId) && stay.getValue().touches(folder));
    }

    /** The folders that Brig made and that nobody works in, above or below. */
    List<Path> abandoned() {
        return owned.keySet().stream()
                .filter(folder -> live.values().stream().noneMatch(stay -> stay.touches(folder)))
                .toList();
    }

    /** That folder is there no more. */
    void forget(Path folder) throws IOException {
        owned.remove(folder);
        Files.deleteIfExists(noteOf(folder));
    }

    /** The spawn is over; its folder may be gone. */
    void leave(String spawnId) {
        Stay stay = live.remove(spawnId);
        if (stay != null && owned.containsKey(stay.folder()) && !isThere(stay)) {
            try {
                forget(stay.folder());
            } catch (IOException e) {
                LOG.warn("a note of a folder that is gone stays: {}", e.toString());
            }
        }
    }

    private void write(Stay stay) {
        try {
            if (!Files.isDirectory(notes)) {
                Files.createDirectories(
                        notes, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            WholeFile.write(
                    noteOf(stay.folder()), Json.writeLine(new Note(stay.folder().toString(), stay.captain())));
        } catch (IOException e) {
            throw Reason.refusal(ErrorCode.INTERNAL, "cannot note whose " + stay.folder() + " is", e);
        }
    }

    private Path noteOf(Path folder) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(folder.toString().getBytes(UTF_8));
            return notes.resolve(HexFormat.of().formatHex(hash) + ".json");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
