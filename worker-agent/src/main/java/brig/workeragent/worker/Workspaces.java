package brig.workeragent.worker;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.SpawnRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the folder that an agent works in, and makes it where it is missing. A workspace lies below one of the configured
 * bases after every link is followed; a base itself is none, as it holds those of others.
 */
final class Workspaces {
    /** A workspace; {@code created} says that it was not there before, so that a refused spawn removes it again. */
    record Workspace(Path path, boolean created) {
        void discard() throws IOException {
            if (created) {
                Files.deleteIfExists(path);
            }
        }
    }

    private final List<Path> bases;
    private final @Nullable Integer owner;

    /** @param owner the uid and gid that new folders are given; null leaves them to the user that runs this */
    Workspaces(List<Path> bases, @Nullable Integer owner) {
        this.bases = List.copyOf(bases);
        this.owner = owner;
    }

    /** The workspace for a request. @throws BrigException {@code WORKSPACE_OUTSIDE_BASE} */
    Workspace open(SpawnRequest request, String spawnId) {
        String wanted = request.workspace();
        String name = request.taskId() == null ? spawnId : request.taskId();
        Path path = wanted == null ? bases.get(0).resolve(name) : Path.of(wanted).normalize();
        try {
            if (wanted == null) {
                Files.createDirectories(bases.get(0));
            }
            requireInside(nearestExisting(path), path);
            boolean missing = !Files.exists(path);
            if (missing) {
                create(path);
            }
            Path real = path.toRealPath();
            requireInside(real, path);
            if (!Files.isDirectory(real)) {
                throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE, "workspace " + path + " is no folder");
            }
            return new Workspace(real, missing);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE, "workspace " + path + " cannot be used: " + e);
        }
    }

    /** Where a path leads that may not exist yet: what will be created lies below this. */
    private static Path nearestExisting(Path path) throws IOException {
        Path at = path;
        while (!Files.exists(at, LinkOption.NOFOLLOW_LINKS) && at.getParent() != null) {
            at = at.getParent();
        }
        return at.toRealPath().resolve(at.relativize(path)).normalize();
    }

    private void requireInside(Path real, Path asked) throws IOException {
        for (Path base : bases) {
            if (Files.isDirectory(base)) {
                Path realBase = base.toRealPath();
                if (real.startsWith(realBase) && !real.equals(realBase)) {
                    return;
                }
            }
        }
        throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE,
                "workspace " + asked + " does not lie below one of worker.workspaceBases " + bases);
    }

    private void create(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent != null && !Files.exists(parent)) {
            create(parent);
        }
        Files.createDirectory(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        if (owner != null) {
            Files.setAttribute(path, "unix:uid", owner, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", owner, LinkOption.NOFOLLOW_LINKS);
        }
    }
}
