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
 * Ownership of workspace folders. While a spawn works in a folder, that belongs to the spawn's captain, as do all
 * folders above and below it. A folder that Brig created belongs to its captain for as long as it exists, which a note
 * records beyond this worker-agent. Other folders have no owner when nobody works in them.
 *
 * <p>Not thread-safe: {@link Workspaces} guards it.
 *
 * <p>Decision 0115.
 */
final class WorkspaceOwners {
    private static final Logger LOG = LoggerFactory.getLogger(WorkspaceOwners.class);

    /** A folder by its real path, and its captain. */
    private record Stay(Path folder, String captain) {
        /** Whether access to that folder gives access to a part of this one. */
        boolean touches(Path other) {
            return folder.startsWith(other) || other.startsWith(folder);
        }

        /** Whether somebody who works here can replace that folder by a link. */
        boolean isAbove(Path other) {
            return other.startsWith(folder) && !other.equals(folder);
        }
    }

    /** The stored ownership of a folder that Brig created. */
    @Extensible
    private record Note(@NotEmpty String folder, @NotEmpty String captain) {}

    private final Path notes;
    /** By spawn_id. */
    private final Map<String, Stay> live = new HashMap<>();
    /** Folders that Brig created. */
    private final Map<Path, Stay> owned = new HashMap<>();

    /** @param notes the folder of the notes, created when needed */
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
     * Checks that a spawn may work in that folder. Sharing requires the same folder: walls mount by path, and a worker
     * above a folder could replace it by a link.
     *
     * @param shares whether the request permits other sessions in the folder
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
     * Checks that a spawn's workspace may be made from that folder.
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
     * @param made whether Brig created the folder for it
     */
    void enter(String spawnId, Path folder, Asker asker, boolean made) {
        Stay stay = new Stay(folder, asker.captain());
        if (made) {
            write(stay);
            owned.put(folder, stay);
        }
        live.put(spawnId, stay);
    }

    /** Whether other spawns work there, above or below it. */
    boolean hasOthers(String spawnId, Path folder) {
        return live.entrySet().stream()
                .anyMatch(stay ->
                        !stay.getKey().equals(spawnId) && stay.getValue().touches(folder));
    }

    /** Folders that Brig created and that nobody works in, above or below. */
    List<Path> abandoned() {
        return owned.keySet().stream()
                .filter(folder -> live.values().stream().noneMatch(stay -> stay.touches(folder)))
                .toList();
    }

    /** That folder was deleted. */
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
