package brig.cli.install;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder that was unpacked from an archive. {@code current} leads to one of {@code versions}, and {@code bin/brig}
 * goes through it. A running program stays in the version that it was started from.
 *
 * <p>Decision 0182.
 *
 * @param root the folder {@code brig} of the archive
 * @param home the version that runs this command
 */
public record Installation(Path root, Path home) {
    static final String VERSIONS = "versions";
    static final String CURRENT = "current";
    static final String BIN = "bin";
    static final String COMMAND = "brig";
    static final String MANIFEST = "SHA256SUMS";
    /** Version and hash of the list of files. */
    static final Pattern NAME = Pattern.compile("[0-9A-Za-z.+~]{1,40}-([0-9a-f]{12})");

    private static final String LOCK = ".lock";
    private static final String UNFINISHED = ".new";
    private static final Set<String> OWN = Set.of(VERSIONS, CURRENT, BIN, LOCK);

    /** The installation that this version is part of; null if it was installed in another way. */
    public static @Nullable Installation of(Path home) {
        try {
            Path real = home.toRealPath();
            Path versions = real.getParent();
            Path root = versions == null ? null : versions.getParent();
            return versions != null
                            && root != null
                            && versions.endsWith(VERSIONS)
                            && NAME.matcher(real.getFileName().toString()).matches()
                            && Files.isSymbolicLink(root.resolve(CURRENT))
                    ? new Installation(root, real)
                    : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** The program that people call; it is the same in each version. */
    public Path command() {
        return root.resolve(BIN).resolve(COMMAND);
    }

    /** What a link leads to that shall always have the newest version's file. */
    Path currentFile(String name) {
        return root.resolve(CURRENT).resolve(name);
    }

    Path versions() {
        return root.resolve(VERSIONS);
    }

    /** The version that the next command runs. */
    public Path current() {
        try {
            return root.resolve(CURRENT).toRealPath();
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "the link " + root.resolve(CURRENT) + " leads nowhere");
        }
    }

    /** Whether a newer one than this command's is installed. */
    public boolean isUpgraded() {
        return !current().equals(home);
    }

    /** Makes that version the one which the next command runs. */
    public void switchTo(Path version) throws IOException {
        Path fresh = root.resolve(CURRENT + UNFINISHED);
        Files.deleteIfExists(fresh);
        Files.createSymbolicLink(fresh, Path.of(VERSIONS, version.getFileName().toString()));
        Files.move(fresh, root.resolve(CURRENT), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Keeps other commands from changing it too; released by closing. */
    public FileChannel lock() {
        try {
            FileChannel channel =
                    FileChannel.open(root.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (channel.tryLock() != null) {
                return channel;
            }
            channel.close();
        } catch (IOException e) {
            throw new BrigException(ErrorCode.FORBIDDEN, "cannot write to " + root + ": " + Reason.of(e));
        }
        throw new BrigException(ErrorCode.ALREADY_RUNNING, "another command changes " + root + ": wait for its end");
    }

    /** The pids of other processes that run programs of these versions. */
    public static List<Long> users(Predicate<Path> ofVersion) {
        long own = ProcessHandle.current().pid();
        List<Long> users = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (pid != own && ofVersion.test(program(process))) {
                    users.add(pid);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return users;
    }

    private static Path program(Path process) {
        try {
            return Files.readSymbolicLink(process.resolve("exe"));
        } catch (IOException anothersOrEnded) {
            return process;
        }
    }

    /** Removes versions that nobody uses, but for these two: whoever starts now may be in the former one. */
    public List<String> sweep(Path current, Path former) throws IOException {
        List<String> removed = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(versions())) {
            for (Path version : all) {
                if (!version.equals(current)
                        && !version.equals(former)
                        && users(program -> program.startsWith(version)).isEmpty()) {
                    delete(version);
                    removed.add(version.getFileName().toString());
                }
            }
        }
        return removed;
    }

    /** Removes everything of it. @return whether files of others keep the folder */
    public boolean remove() throws IOException {
        for (String name : OWN) {
            delete(root.resolve(name));
        }
        try (Stream<Path> left = Files.list(root)) {
            if (left.findAny().isPresent()) {
                return true;
            }
        }
        Files.delete(root);
        return false;
    }

    /** Deletes a folder, without following links. Folders in it that agents closed to their owner are opened before. */
    public static void delete(Path folder) throws IOException {
        Deletion deletion = new Deletion();
        do {
            deletion.hasOpened = false;
            Files.walkFileTree(folder, deletion);
        } while (deletion.hasOpened);
    }

    private static final class Deletion extends SimpleFileVisitor<Path> {
        private static final Set<PosixFilePermission> OPEN = PosixFilePermissions.fromString("rwx------");

        /** Whether a folder can be read now that could not be when it was visited. */
        private boolean hasOpened;

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
            if (!Files.isWritable(folder) || !Files.isExecutable(folder)) {
                Files.setPosixFilePermissions(folder, OPEN);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) || Files.isReadable(file)) {
                throw failure;
            }
            Files.setPosixFilePermissions(file, OPEN);
            hasOpened = true;
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
            if (failure != null) {
                throw failure;
            }
            try {
                Files.deleteIfExists(folder);
            } catch (DirectoryNotEmptyException e) {
                if (!hasOpened) {
                    throw e;
                }
            }
            return FileVisitResult.CONTINUE;
        }
    }
}
