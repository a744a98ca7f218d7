package brig.workeragent.pump;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The disk for unacknowledged frames: a folder of this worker-agent with a folder for each worker, closed to others. The
 * frames of a worker are worth nothing without its process, so what a killed worker-agent left is removed. A lock tells
 * it from a live one.
 */
public final class SpillFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpillFolder.class);
    private static final String LOCK = "lock";
    private static final FileAttribute<Set<PosixFilePermission>> OWN_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWN_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /** The folder of one worker-agent, locked while it lives. */
    private record Own(Path folder, FileChannel lock) {}

    private final Path base;
    private final long bytesMax;
    private final @Nullable Own own;

    private SpillFolder(Path base, long bytesMax, @Nullable Own own) {
        this.base = base;
        this.bytesMax = bytesMax;
        this.own = own;
    }

    /**
     * Creates and locks a folder below {@code base}.
     *
     * @param bytesMax of each worker; 0: nothing goes to disk, and nothing is created
     */
    public static SpillFolder open(Path base, long bytesMax) throws IOException {
        if (bytesMax == 0) {
            return new SpillFolder(base, 0, null);
        }
        Files.createDirectories(base.toAbsolutePath().getParent());
        if (!Files.isDirectory(base, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(base, OWN_FOLDER);
        }
        Path folder = Files.createTempDirectory(base, "", OWN_FOLDER);
        FileChannel lock = FileChannel.open(
                folder.resolve(LOCK), Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWN_FILE);
        if (tryLock(lock) == null) {
            lock.close();
            throw new IOException(folder + " cannot be locked");
        }
        return new SpillFolder(base, bytesMax, new Own(folder, lock));
    }

    private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException heldInThisProcess) {
            return null;
        }
    }

    /** The disk for one worker's frames. */
    public Spill of(String spawnId) {
        return own == null ? none() : new Spill(new OfWorker(own.folder().resolve(spawnId)), bytesMax);
    }

    /** No disk: frames stay in memory. */
    static Spill none() {
        return new Spill(new OfWorker(Path.of("/nonexistent")), 0);
    }

    /** Removes what worker-agents left that live no longer. */
    public void sweep() {
        if (!Files.isDirectory(base, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(base)) {
            for (Path folder : folders) {
                if (own == null || !folder.equals(own.folder())) {
                    sweep(folder);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.warn("frames of an earlier worker-agent are left in {}: {}", base, e.toString());
        }
    }

    private static void sweep(Path folder) throws IOException {
        Path file = folder.resolve(LOCK);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            removeTree(folder);
            return;
        }
        try (FileChannel lock = FileChannel.open(file, Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
            if (tryLock(lock) != null) {
                removeTree(folder);
            }
        }
    }

    private static void removeTree(Path folder) throws IOException {
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) throws IOException {
                    if (e != null) {
                        throw e;
                    }
                    Files.deleteIfExists(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException goneAlready) {
            LOG.debug("nothing to remove: {}", folder);
        }
    }

    @Override
    public void close() throws IOException {
        if (own != null) {
            removeTree(own.folder());
            own.lock().close();
        }
    }

    /** The JDK's channels would end with a thread that is interrupted, and count as a fault of the disk. */
    private record OfWorker(Path folder) implements SpillFiles {
        private Path file(long name) {
            return folder.resolve(Long.toString(name));
        }

        @Override
        public void write(long name, long at, byte[] bytes, int length) throws IOException {
            Path file = file(name);
            if (at == 0) {
                makeAnew(file);
            }
            try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
                if (out.length() < at) {
                    throw new EOFException(file + " was cut");
                }
                out.seek(at);
                out.write(bytes, 0, length);
            }
        }

        private void makeAnew(Path file) throws IOException {
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(folder, OWN_FOLDER);
            }
            Files.deleteIfExists(file);
            Files.createFile(file, OWN_FILE);
        }

        @Override
        public void read(long name, long at, byte[] into, int length) throws IOException {
            try (RandomAccessFile in = new RandomAccessFile(file(name).toFile(), "r")) {
                in.seek(at);
                in.readFully(into, 0, length);
            }
        }

        @Override
        public void delete(long name) throws IOException {
            Files.deleteIfExists(file(name));
        }

        @Override
        public void deleteAll() throws IOException {
            removeTree(folder);
        }
    }
}
