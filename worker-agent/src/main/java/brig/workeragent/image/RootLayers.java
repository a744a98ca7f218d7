package brig.workeragent.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.Posture;
import brig.protocol.control.WorkspacesAnswer.KeptRoot;
import brig.protocol.io.WholeFile;
import brig.protocol.json.Json;
import brig.protocol.spawn.RootOverlay;
import brig.protocol.spawn.SpawnRequest.Asker;
import brig.workeragent.limits.FolderBytes;
import brig.workeragent.wall.Root;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What sessions write over images: one folder for each session, which goes with it, or one for each captain, project and
 * image, which the next session gets. All of it is hostile, so it is removed in a tool wall. One session at a time has
 * such a folder; that is known in memory alone, since every wall ends with this process. Thread-safe.
 *
 * <p>Decision 0213.
 */
public final class RootLayers {
    /**
     * Settings, as in {@code config/brig.json}.
     *
     * @param folder where they are kept
     * @param bytesMax of each that is kept
     * @param keptMs how long one is kept that no session uses; 0: forever
     */
    public record Bounds(Path folder, long bytesMax, long keptMs) {}

    /** A root until it is given back. */
    public record Lease(Root root, Runnable back) implements AutoCloseable {
        @Override
        public void close() {
            back.run();
        }
    }

    /** Beside each folder that is kept. */
    private record Note(@Nullable String captain, String project, String image, String digest) {}

    private static final Logger LOG = LoggerFactory.getLogger(RootLayers.class);
    private static final String ID = "root_";
    private static final String NOTE = ".json";
    private static final String DISCARDED = "session-";
    private static final String REMOVED = "removed-";
    private static final String UPPER = "upper";
    private static final String WORK = "work";
    private static final int DIGITS = 24;

    private final Bounds bounds;
    private final ImageUnpacker remover;
    private final WorkersUser user;
    private final LongSupplier clockMs;

    private final ReentrantLock lock = new ReentrantLock();
    /** Sessions by the id of the kept root that they have. Guarded by the lock. */
    private final Map<String, String> holders = new HashMap<>();
    /** Folders of this process that are not swept. Guarded by the lock. */
    private final Set<Path> temporary = new HashSet<>();

    private long made;

    RootLayers(Bounds bounds, ImageUnpacker remover, WorkersUser user, LongSupplier clockMs) {
        this.bounds = bounds;
        this.remover = remover;
        this.user = user;
        this.clockMs = clockMs;
    }

    /**
     * Makes a root writable for a session.
     *
     * @param project what it belongs to; null for nothing
     * @throws BrigException {@code INVALID_FIELD}, {@code ROOT_IN_USE}, {@code ROOT_CHANGED}, {@code DISK_FULL}
     */
    public Lease over(Root root, RootOverlay overlay, String spawnId, Asker asker, @Nullable String project) {
        Posture.Root image = root.shown();
        if (overlay == RootOverlay.NONE) {
            return new Lease(root, () -> {});
        }
        requireImage(image == null ? null : image.image(), overlay, project);
        if (image == null) {
            throw new IllegalStateException("refused before");
        }
        try {
            return overlay == RootOverlay.KEEP
                    ? kept(root, image, spawnId, asker, String.valueOf(project))
                    : discarded(root, image);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /**
     * Whether {@link #over} could make such a root, as far as the request says.
     *
     * @param image null for the host's files
     * @throws BrigException {@code INVALID_FIELD}
     */
    public static void requireImage(@Nullable String image, RootOverlay overlay, @Nullable String project) {
        if (overlay == RootOverlay.NONE) {
            return;
        }
        if (image == null) {
            throw BrigException.invalid(
                    "root_overlay",
                    "goes with an image as root, since the host's files belong to nobody behind a wall: take '--root"
                            + " oci:NAME' ('brig image list'), or 'none'");
        }
        if (overlay == RootOverlay.KEEP && project == null) {
            throw BrigException.invalid(
                    "root_overlay",
                    "keep is for the sessions of a project: name a project, a workspace or a repository, or take"
                            + " 'discard'");
        }
    }

    private Lease discarded(Root root, Posture.Root image) throws IOException {
        Path folder;
        lock.lock();
        try {
            folder = unused(DISCARDED);
            temporary.add(folder);
        } finally {
            lock.unlock();
        }
        makeBase();
        make(folder);
        Runnable back = () -> {
            try {
                remove(folder);
            } catch (IOException | BrigException e) {
                LOG.warn("{} stays, to be removed at the next start: {}", folder, e.toString());
            }
        };
        return new Lease(on(root, image, RootOverlay.DISCARD, folder, 0), once(back));
    }

    /**
     * Whether {@link #over} would refuse now; makes nothing.
     *
     * @throws BrigException as {@link #over}
     */
    public void check(Root root, @Nullable RootOverlay overlay, Asker asker, @Nullable String project) {
        Posture.Root image = root.shown();
        if (overlay != RootOverlay.KEEP || image == null || project == null) {
            return;
        }
        Note note = note(image, asker, project);
        String id = id(note);
        requireFree(id, holder(id));
        try {
            requireUsable(id, note);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /** All admins are one captain, as for folders. */
    private static Note note(Posture.Root image, Asker asker, String project) {
        return new Note(asker.admin() ? null : asker.captain(), project, image.image(), image.digest());
    }

    private static String id(Note note) {
        String whose = note.captain() == null ? "admins" : "captain " + note.captain();
        return ID + digest(whose + "\n" + note.project() + "\n" + note.image());
    }

    private Lease kept(Root root, Posture.Root image, String spawnId, Asker asker, String project) throws IOException {
        Note note = note(image, asker, project);
        String id = id(note);
        Path folder = bounds.folder().resolve(id);
        take(id, spawnId);
        try {
            long bytes = requireUsable(id, note);
            makeBase();
            // Before the folder, so that there is none of an unknown image.
            WholeFile.write(noteOf(id), Json.write(note));
            make(folder);
            touch(id);
            return new Lease(
                    on(root, image, RootOverlay.KEEP, folder, bounds.bytesMax() - bytes), once(() -> giveBack(id)));
        } catch (IOException | RuntimeException e) {
            leave(id);
            throw e;
        }
    }

    private void take(String id, String spawnId) {
        lock.lock();
        try {
            requireFree(id, holders.putIfAbsent(id, spawnId));
        } finally {
            lock.unlock();
        }
    }

    private static void requireFree(String id, @Nullable String holder) {
        if (holder != null) {
            throw new BrigException(
                    ErrorCode.ROOT_IN_USE,
                    "the session " + holder + " has the kept root " + id
                            + " of this project, and only one at a time may:"
                            + " wait for its end, or take '--root-overlay discard' or another '--project'");
        }
    }

    /** @return its bytes */
    private long requireUsable(String id, Note wanted) throws IOException {
        Path folder = bounds.folder().resolve(id);
        Note earlier = Files.exists(folder) ? note(id) : null;
        if (earlier != null && !earlier.digest().equals(wanted.digest())) {
            throw new BrigException(
                    ErrorCode.ROOT_CHANGED,
                    "the kept root " + id + " was written over " + earlier.digest() + ", and the image '"
                            + wanted.image()
                            + "' is now " + wanted.digest() + ": 'brig discard " + id
                            + "' removes what was kept, or take"
                            + " the image of then in again");
        }
        long bytes = bytes(folder);
        if (bytes >= bounds.bytesMax()) {
            throw new BrigException(
                    ErrorCode.DISK_FULL,
                    "the kept root " + id + " has " + bytes + " bytes, and worker.keptRoots.bytesMax is "
                            + bounds.bytesMax() + ": 'brig discard " + id + "' removes it, or raise the key");
        }
        return bytes;
    }

    private void giveBack(String id) {
        try {
            touch(id);
        } catch (IOException e) {
            LOG.warn("the kept root {} does not know when it was used: {}", id, e.toString());
        } finally {
            leave(id);
        }
    }

    private void leave(String id) {
        lock.lock();
        try {
            holders.remove(id);
        } finally {
            lock.unlock();
        }
    }

    private Root on(Root root, Posture.Root image, RootOverlay overlay, Path folder, long bytesLeft) {
        return root.with(
                new Posture.Root(image.image(), image.digest(), overlay),
                new Root.Layer(
                        folder.resolve(UPPER),
                        folder.resolve(WORK),
                        bytesLeft,
                        bounds.bytesMax()
                                + " bytes (worker.keptRoots.bytesMax in brig.json). 'brig workspaces' lists kept"
                                + " roots, 'brig discard' removes one; or raise the key"));
    }

    private void makeBase() throws IOException {
        if (!Files.isDirectory(bounds.folder())) {
            Files.createDirectories(
                    bounds.folder(),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
        }
    }

    /** Makes what is missing of such a folder. Nobody but the workers' user gets into it. */
    private void make(Path folder) throws IOException {
        for (Path one : List.of(folder, folder.resolve(UPPER), folder.resolve(WORK))) {
            if (!Files.isDirectory(one)) {
                String permissions = one.endsWith(UPPER) ? "rwxr-xr-x" : "rwx------";
                Files.createDirectory(
                        one, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
                user.give(one);
            }
        }
    }

    /** All that are kept. */
    public List<KeptRoot> list() {
        try {
            List<KeptRoot> all = new ArrayList<>();
            for (Path note : files(ID + "*" + NOTE)) {
                String name = String.valueOf(note.getFileName());
                KeptRoot shown = shown(name.substring(0, name.length() - NOTE.length()));
                if (shown != null) {
                    all.add(shown);
                }
            }
            return all;
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    private @Nullable KeptRoot shown(String id) throws IOException {
        try {
            Note note = note(id);
            return note == null
                    ? null
                    : new KeptRoot(
                            id,
                            note.captain(),
                            note.project(),
                            note.image(),
                            note.digest(),
                            bytes(bounds.folder().resolve(id)),
                            usedMs(id),
                            holder(id),
                            null);
        } catch (NoSuchFileException removed) {
            return null;
        }
    }

    private @Nullable String holder(String id) {
        lock.lock();
        try {
            return holders.get(id);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes one that is kept.
     *
     * @param asker its captain, or an admin
     * @throws BrigException {@code NOT_FOUND}, {@code ROOT_IN_USE}
     */
    public KeptRoot remove(String id, Asker asker) {
        try {
            KeptRoot root = shown(id);
            if (root == null || !(asker.admin() || asker.captain().equals(root.captain()))) {
                throw new BrigException(
                        ErrorCode.NOT_FOUND, "there is no kept root " + id + " of yours: 'brig workspaces' lists them");
            }
            forget(id);
            return root;
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    private void forget(String id) throws IOException {
        take(id, "that removes it");
        try {
            remove(bounds.folder().resolve(id));
            Files.deleteIfExists(noteOf(id));
        } finally {
            leave(id);
        }
    }

    /** Out of the way first, so that it is whole or not there for the next session. */
    private void remove(Path folder) throws IOException {
        Path gone;
        lock.lock();
        try {
            gone = unused(REMOVED);
            temporary.remove(folder);
            if (!Files.isDirectory(folder)) {
                return;
            }
            temporary.add(gone);
            Files.move(folder, gone, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            lock.unlock();
        }
        try {
            clear(gone);
        } finally {
            lock.lock();
            try {
                temporary.remove(gone);
            } finally {
                lock.unlock();
            }
        }
    }

    private void clear(Path folder) throws IOException {
        remover.clear(folder);
        Files.delete(folder);
    }

    /** Removes what was not used for long, and what a predecessor left. */
    void sweep() {
        try {
            for (String left : List.of(DISCARDED, REMOVED)) {
                for (Path folder : files(left + "*")) {
                    if (!isOfThisProcess(folder)) {
                        clear(folder);
                    }
                }
            }
            for (KeptRoot root : list()) {
                boolean old = bounds.keptMs() > 0 && clockMs.getAsLong() - root.usedMs() > bounds.keptMs();
                if (old && root.usedBy() == null) {
                    LOG.info("the kept root {} of {} goes", root.id(), root.project());
                    forget(root.id());
                }
            }
        } catch (IOException | BrigException e) {
            LOG.warn("kept roots cannot be swept: {}", e.toString());
        }
    }

    private boolean isOfThisProcess(Path folder) {
        lock.lock();
        try {
            return temporary.contains(folder);
        } finally {
            lock.unlock();
        }
    }

    private List<Path> files(String glob) throws IOException {
        List<Path> found = new ArrayList<>();
        if (Files.isDirectory(bounds.folder())) {
            try (DirectoryStream<Path> some = Files.newDirectoryStream(bounds.folder(), glob)) {
                some.forEach(found::add);
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
        }
        found.sort(null);
        return found;
    }

    private @Nullable Note note(String id) throws IOException {
        Path file = noteOf(id);
        return Files.exists(file) ? Json.read(Files.readAllBytes(file), Note.class) : null;
    }

    private long bytes(Path folder) {
        Path upper = folder.resolve(UPPER);
        return Files.isDirectory(upper) ? FolderBytes.of(List.of(upper), bounds.bytesMax()) : 0;
    }

    private long usedMs(String id) throws IOException {
        return Files.getLastModifiedTime(noteOf(id)).toMillis();
    }

    private void touch(String id) throws IOException {
        Files.setLastModifiedTime(noteOf(id), FileTime.fromMillis(clockMs.getAsLong()));
    }

    private Path noteOf(String id) {
        return bounds.folder().resolve(id + NOTE);
    }

    /** With the lock. A predecessor's has another name until it is swept. */
    private Path unused(String prefix) {
        Path path;
        do {
            path = bounds.folder().resolve(prefix + ++made);
        } while (Files.exists(path) || temporary.contains(path));
        return path;
    }

    private static Runnable once(Runnable action) {
        AtomicBoolean done = new AtomicBoolean();
        return () -> {
            if (done.compareAndSet(false, true)) {
                action.run();
            }
        };
    }

    private static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
            return HexFormat.of().formatHex(hash).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static BrigException unwritable(IOException e) {
        return new BrigException(
                ErrorCode.INTERNAL, "the folder of kept roots cannot be read or written: " + Reason.withFile(e));
    }
}
