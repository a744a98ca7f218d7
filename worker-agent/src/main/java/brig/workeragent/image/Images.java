package brig.workeragent.image;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.ImagesAnswer;
import brig.protocol.control.Posture;
import brig.protocol.io.WholeFile;
import brig.protocol.json.Json;
import brig.protocol.spawn.RootName;
import brig.workeragent.image.unpack.Unpacked;
import brig.workeragent.wall.Root;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The images of this host. Each is a folder named after its digest, with its files and a note about it; names refer to
 * digests. Thread-safe.
 *
 * <p>Decision 0208.
 */
public final class Images {
    /**
     * Settings, as in {@code config/brig.json}.
     *
     * @param folder where they are kept
     * @param bytesMax of each
     * @param filesMax of each
     * @param allBytesMax of all together
     * @param keptMs how long one is kept that no worker uses; 0: forever
     * @param layers of what sessions write over them
     */
    public record Bounds(
            Path folder, long bytesMax, long filesMax, long allBytesMax, long keptMs, RootLayers.Bounds layers) {}

    /** A root that stays until it is given back. */
    public record Lease(Root root, @Nullable String library, Runnable back) implements AutoCloseable {
        @Override
        public void close() {
            back.run();
        }
    }

    /** The file with all names. */
    private record Names(Map<String, String> digests) {}

    private static final Logger LOG = LoggerFactory.getLogger(Images.class);
    private static final String PREFIX = "sha256:";
    private static final String NAMES = "names.json";
    private static final String FILES = "root";
    private static final String NOTE = "image.json";
    /** Of folders that are being made or removed. */
    private static final String UNFINISHED = ".new-";

    private static final Lease HOST = new Lease(Root.HOST, Unpacked.GLIBC, () -> {});

    private final Bounds bounds;
    private final ImageUnpacker unpacker;
    private final WorkersUser user;
    private final LongSupplier clockMs;
    private final RootLayers layers;
    /** Held while one is made or removed, which takes long. */
    private final ReentrantLock changing = new ReentrantLock();
    /** Guards names and uses. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<String, Integer> uses = new HashMap<>();
    private long made;

    public Images(Bounds bounds, ImageUnpacker unpacker, WorkersUser user, LongSupplier clockMs) {
        this.bounds = bounds;
        this.unpacker = unpacker;
        this.user = user;
        this.clockMs = clockMs;
        this.layers = new RootLayers(bounds.layers(), unpacker, user, clockMs);
    }

    /**
     * Takes in the image of a folder: its files, or the image of an OCI layout.
     *
     * @param name its name, which another image may have had
     * @throws BrigException {@code INVALID_IMAGE}, {@code INVALID_FIELD}
     */
    public ImagesAnswer.Image pull(String from, String name) {
        Path source = ImageUnpacker.real(from);
        changing.lock();
        try {
            StoredImage image = unpacked(source);
            lock.lock();
            try {
                Map<String, String> names = names();
                names.put(name, image.digest());
                write(names);
                touch(image.digest());
                LOG.info("image {} is {}", name, image.digest());
                return shown(name, image);
            } finally {
                lock.unlock();
            }
        } catch (IOException e) {
            throw unwritable(e);
        } finally {
            changing.unlock();
        }
    }

    private StoredImage unpacked(Path source) throws IOException {
        Path fresh = unfinished();
        try {
            Files.createDirectories(
                    fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
            Path files = Files.createDirectory(
                    fresh.resolve(FILES),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
            user.give(files);
            long left = bounds.allBytesMax()
                    - all().stream().mapToLong(StoredImage::bytes).sum();
            Unpacked unpacked =
                    unpacker.unpack(source, files, Math.max(0, Math.min(bounds.bytesMax(), left)), bounds.filesMax());
            String digest = unpacked.digest();
            if (digest == null || !RootName.isDigest(digest)) {
                throw ImageUnpacker.invalid("the unpacker told no digest");
            }
            StoredImage image = new StoredImage(
                    digest,
                    ImageVariables.read(unpacked.environment()),
                    unpacked.bytes(),
                    unpacked.files(),
                    unpacked.leftOut(),
                    unpacked.library());
            if (!Files.exists(folder(digest))) {
                WholeFile.write(fresh.resolve(NOTE), Json.write(image));
                Files.move(fresh, folder(digest), StandardCopyOption.ATOMIC_MOVE);
            }
            return image;
        } finally {
            discard(fresh);
        }
    }

    /** All images by their names. */
    public ImagesAnswer list() {
        lock.lock();
        try {
            List<ImagesAnswer.Image> images = new ArrayList<>();
            for (Map.Entry<String, String> named : names().entrySet()) {
                images.add(shown(named.getKey(), note(named.getValue())));
            }
            return new ImagesAnswer(images);
        } catch (IOException e) {
            throw unwritable(e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes a name, and the image with its last one.
     *
     * @throws BrigException {@code UNKNOWN_IMAGE}, {@code IMAGE_IN_USE}
     */
    public ImagesAnswer.Image remove(String name) {
        changing.lock();
        try {
            StoredImage image;
            ImagesAnswer.Image shown;
            boolean isLast;
            lock.lock();
            try {
                Map<String, String> names = names();
                image = note(digest(names, name));
                shown = shown(name, image);
                names.remove(name);
                isLast = !names.containsValue(image.digest());
                if (isLast && shown.uses() > 0) {
                    throw new BrigException(
                            ErrorCode.IMAGE_IN_USE,
                            shown.uses() + " sessions have the image '" + name + "' as their root: end them first");
                }
                write(names);
                if (isLast) {
                    Files.move(folder(image.digest()), unfinished(), StandardCopyOption.ATOMIC_MOVE);
                }
            } finally {
                lock.unlock();
            }
            clearUnfinished();
            return shown;
        } catch (IOException e) {
            throw unwritable(e);
        } finally {
            changing.unlock();
        }
    }

    /**
     * Lends a root to a worker.
     *
     * @param wanted null for the host's
     * @throws BrigException {@code UNKNOWN_IMAGE}
     */
    public Lease lend(@Nullable RootName wanted) {
        String name = wanted == null ? null : wanted.image();
        if (wanted == null || name == null) {
            return HOST;
        }
        lock.lock();
        try {
            StoredImage image = note(digest(names(), name));
            if (wanted.digest() != null && !wanted.digest().equals(image.digest())) {
                throw new BrigException(
                        ErrorCode.UNKNOWN_IMAGE,
                        "the image '" + name + "' is " + image.digest() + ", and " + wanted.digest() + " is asked for");
            }
            touch(image.digest());
            uses.merge(image.digest(), 1, Integer::sum);
            Root root = new Root(
                    folder(image.digest()).resolve(FILES).toRealPath(),
                    new Posture.Root(name, image.digest(), null),
                    image.environment(),
                    null);
            AtomicBoolean isBack = new AtomicBoolean();
            return new Lease(root, image.library(), () -> {
                if (isBack.compareAndSet(false, true)) {
                    giveBack(image.digest());
                }
            });
        } catch (IOException e) {
            throw unwritable(e);
        } finally {
            lock.unlock();
        }
    }

    private void giveBack(String digest) {
        lock.lock();
        try {
            uses.computeIfPresent(digest, (same, count) -> count == 1 ? null : count - 1);
            touch(digest);
        } catch (IOException e) {
            LOG.warn("the image {} does not know when it was used: {}", digest, e.toString());
        } finally {
            lock.unlock();
        }
    }

    /** What sessions write over them. */
    public RootLayers layers() {
        return layers;
    }

    /** Removes what was not used for long, what has no name, and what a predecessor left unfinished. */
    public void sweep() {
        layers.sweep();
        changing.lock();
        try {
            lock.lock();
            try {
                Map<String, String> names = names();
                for (StoredImage image : all()) {
                    boolean old = bounds.keptMs() > 0 && clockMs.getAsLong() - usedMs(image.digest()) > bounds.keptMs();
                    boolean goes = old || !names.containsValue(image.digest());
                    if (goes && !uses.containsKey(image.digest())) {
                        names.values().removeIf(image.digest()::equals);
                        write(names);
                        Files.move(folder(image.digest()), unfinished(), StandardCopyOption.ATOMIC_MOVE);
                        LOG.info("the image {} goes", image.digest());
                    }
                }
            } finally {
                lock.unlock();
            }
            clearUnfinished();
        } catch (IOException | UncheckedIOException | BrigException e) {
            LOG.warn("images cannot be swept: {}", e.toString());
        } finally {
            changing.unlock();
        }
    }

    private void clearUnfinished() throws IOException {
        for (Path each : folders(UNFINISHED + "*")) {
            discard(each);
        }
    }

    private void discard(Path unfinished) throws IOException {
        if (!Files.exists(unfinished)) {
            return;
        }
        Path files = unfinished.resolve(FILES);
        if (Files.exists(files)) {
            unpacker.clear(files);
            Files.delete(files);
        }
        Files.deleteIfExists(unfinished.resolve(NOTE));
        Files.delete(unfinished);
    }

    private static String digest(Map<String, String> names, String name) {
        String digest = names.get(name);
        if (digest == null) {
            throw new BrigException(
                    ErrorCode.UNKNOWN_IMAGE,
                    "there is no image '" + name + "' on this host; there are " + names.keySet()
                            + ", and 'brig image pull' takes in others");
        }
        return digest;
    }

    private ImagesAnswer.Image shown(String name, StoredImage image) throws IOException {
        return new ImagesAnswer.Image(
                name,
                image.digest(),
                image.bytes(),
                image.files(),
                image.leftOut(),
                image.library(),
                usedMs(image.digest()),
                uses.getOrDefault(image.digest(), 0));
    }

    private List<StoredImage> all() throws IOException {
        List<StoredImage> all = new ArrayList<>();
        for (Path each : folders("[0-9a-f]*")) {
            all.add(note(PREFIX + each.getFileName()));
        }
        return all;
    }

    private List<Path> folders(String glob) throws IOException {
        List<Path> found = new ArrayList<>();
        if (Files.isDirectory(bounds.folder())) {
            try (DirectoryStream<Path> some = Files.newDirectoryStream(bounds.folder(), glob)) {
                some.forEach(found::add);
            }
        }
        return found;
    }

    private Map<String, String> names() throws IOException {
        Path file = bounds.folder().resolve(NAMES);
        return Files.exists(file)
                ? new TreeMap<>(Json.read(Files.readAllBytes(file), Names.class).digests())
                : new TreeMap<>();
    }

    private void write(Map<String, String> names) throws IOException {
        WholeFile.write(bounds.folder().resolve(NAMES), Json.write(new Names(names)));
    }

    private StoredImage note(String digest) throws IOException {
        return Json.read(Files.readAllBytes(folder(digest).resolve(NOTE)), StoredImage.class);
    }

    private long usedMs(String digest) throws IOException {
        return Files.getLastModifiedTime(folder(digest).resolve(NOTE)).toMillis();
    }

    private void touch(String digest) throws IOException {
        Files.setLastModifiedTime(folder(digest).resolve(NOTE), FileTime.fromMillis(clockMs.getAsLong()));
    }

    private Path folder(String digest) {
        return bounds.folder().resolve(digest.substring(PREFIX.length()));
    }

    /** A name that is not taken: the sweep at the start removed those of predecessors, or will. */
    private Path unfinished() {
        Path path;
        do {
            path = bounds.folder().resolve(UNFINISHED + ++made);
        } while (Files.exists(path));
        return path;
    }

    private static BrigException unwritable(IOException e) {
        return new BrigException(
                ErrorCode.INTERNAL, "the folder of images cannot be read or written: " + Reason.withFile(e));
    }
}
