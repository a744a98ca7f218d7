package brig.workeragent.sandbox;

import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Finds or creates the folder that a worker works in. Its real path must lie below one of the bases, since a worker
 * could have placed a symbolic link in its own workspace to get another folder the next time.
 */
public final class WorkspaceFolder {
    /** Workers that start together share the folders above theirs. */
    private static final Lock MAKING = new ReentrantLock();

    private WorkspaceFolder() {}

    /**
     * The real path to bind into the wall. An existing folder is left unchanged; a new one is accessible to the
     * worker's user alone.
     *
     * @param bases     existing folders; without any no workspace is allowed
     * @param requested absolute
     */
    public static Path prepare(List<Path> bases, Path requested, WorkerIdentity identity) throws SandboxException {
        if (!requested.isAbsolute()) {
            throw new SandboxException(Code.WORKSPACE_OUTSIDE_BASE, requested + " is not an absolute path");
        }
        try {
            Path real = makeAlone(bases, requested, identity);
            // Checked again now that all of it exists, as a part may have been replaced by a link.
            Path again = real.toRealPath();
            checkBelow(bases, again);
            checkNotInside(again, identity);
            if (!Files.isDirectory(again, LinkOption.NOFOLLOW_LINKS)) {
                throw new SandboxException(Code.WORKSPACE_UNREACHABLE, again + " is not a folder");
            }
            Path closed = identity.switched() ? Reachability.firstClosedFolder(again) : null;
            if (closed != null) {
                throw new SandboxException(
                        Code.WORKSPACE_UNREACHABLE,
                        "the worker's user cannot get to " + again + ", because " + closed + " is closed to others");
            }
            return again;
        } catch (IOException failed) {
            throw new SandboxException(
                    Code.WORKSPACE_UNREACHABLE,
                    "cannot prepare " + requested + ": " + failed.getClass().getSimpleName());
        }
    }

    private static Path makeAlone(List<Path> bases, Path requested, WorkerIdentity identity)
            throws IOException, SandboxException {
        MAKING.lock();
        try {
            return make(bases, requested, identity);
        } finally {
            MAKING.unlock();
        }
    }

    private static Path make(List<Path> bases, Path requested, WorkerIdentity identity)
            throws IOException, SandboxException {
        Path wanted = requested.normalize();
        Path existing = existing(wanted);
        Path folder = existing.toRealPath();
        Path real = folder.resolve(existing.relativize(wanted)).normalize();
        checkBelow(bases, real);
        checkNotInside(real, identity);
        if (real.equals(folder)) return real;
        for (Path name : folder.relativize(real)) {
            folder = Files.createDirectory(
                    folder.resolve(name),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
        }
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rwx------"));
        if (identity.switched()) {
            Files.setAttribute(real, "unix:gid", identity.gid(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(real, "unix:uid", identity.uid(), LinkOption.NOFOLLOW_LINKS);
        }
        return real;
    }

    /**
     * Whether {@link #prepare} would accept that path, as far as can be told without creating anything.
     *
     * @throws SandboxException {@code WORKSPACE_OUTSIDE_BASE}; unreadable paths are left to {@code prepare}
     */
    public static void check(List<Path> bases, Path requested) throws SandboxException {
        try {
            Path existing = existing(requested.normalize());
            checkBelow(
                    bases,
                    existing.toRealPath()
                            .resolve(existing.relativize(requested.normalize()))
                            .normalize());
        } catch (IOException unseen) {
            return;
        }
    }

    /** Not Files.exists: a dangling link exists and must be resolved, which fails. */
    private static Path existing(Path wanted) {
        Path existing = wanted;
        while (!Files.exists(existing, LinkOption.NOFOLLOW_LINKS) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        return existing;
    }

    /** The base itself is refused: workers would share it. */
    private static void checkBelow(List<Path> bases, Path real) throws IOException, SandboxException {
        for (Path base : bases) {
            Path realBase = base.toRealPath();
            if (real.startsWith(realBase) && !real.equals(realBase)) return;
        }
        throw new SandboxException(
                Code.WORKSPACE_OUTSIDE_BASE,
                real + " is not below a workspace base; there are " + bases
                        + ", and worker.workspaceBases in brig.json may name further folders for workspaces, as"
                        + " {\"worker\": {\"workspaceBases\": [\"\", \"/mnt/agents\"]}}; worker.scratchBases"
                        + " those that go with their session");
    }

    /**
     * A folder inside a worker's workspace is refused: that worker could replace it by a link while it is being
     * prepared.
     */
    private static void checkNotInside(Path real, WorkerIdentity identity) throws IOException, SandboxException {
        for (Path above = real.getParent(); above != null && identity.switched(); above = above.getParent()) {
            boolean ofWorker = Files.exists(above)
                    && Integer.valueOf(identity.uid()).equals(Files.getAttribute(above, "unix:uid"));
            if (ofWorker) {
                throw new SandboxException(Code.WORKSPACE_OUTSIDE_BASE, above + " belongs to a worker");
            }
        }
    }
}
