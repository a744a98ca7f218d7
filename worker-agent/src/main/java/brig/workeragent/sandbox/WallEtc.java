package brig.workeragent.sandbox;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The {@code /etc} of every wall: a few files of our own, and copies of those host files that programs need. Separate
 * mounts would add a quarter of a millisecond each to every start. The host's file times are checked before each use,
 * and changes are copied into a new folder. Existing walls keep theirs.
 *
 * <p>Only world-readable files are copied, so {@code /etc/ssl/private} is not. Owned by one thread.
 *
 * <p>Decisions 0021, 0046.
 */
final class WallEtc {
    /** Nothing in them is secret. */
    private static final List<String> SHARED =
            List.of("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "ssl", "ca-certificates", "localtime");

    private final Path template;
    private final String name;
    private final Path hostEtc;
    private final Map<String, String> own;
    private final @Nullable Path authority;
    /** The host's modification times at the last copy; null for missing files. */
    private final Map<Path, @Nullable FileTime> copiedAt = new HashMap<>();

    private int copies;

    /**
     * @param template where the folders are created; those of a predecessor are removed
     * @param name the prefix of their names
     * @param own our own files, by name
     * @param authority a PEM file with a certificate to trust in addition to the host's; null for none
     */
    WallEtc(Path template, String name, Path hostEtc, Map<String, String> own, @Nullable Path authority)
            throws IOException {
        this.template = template;
        this.name = name;
        this.hostEtc = hostEtc;
        this.own = own;
        this.authority = authority;
        try (var old = Files.newDirectoryStream(template, name + "[-.]*")) {
            for (Path folder : old) remove(folder);
        }
        copy();
    }

    /** The folder to mount now. */
    Path folder() throws IOException {
        if (!isCurrent()) copy();
        return template.resolve(name + "-" + copies);
    }

    private boolean isCurrent() throws IOException {
        for (var copied : copiedAt.entrySet()) {
            if (!Objects.equals(copied.getValue(), changedAt(copied.getKey()))) return false;
        }
        return true;
    }

    private static @Nullable FileTime changedAt(Path path) throws IOException {
        try {
            return Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException absent) {
            return null;
        }
    }

    private void copy() throws IOException {
        copiedAt.clear();
        Path fresh = template.resolve(name + ".new");
        remove(fresh);
        Files.createDirectory(fresh);
        for (String name : shared()) {
            Path source = hostEtc.resolve(name);
            copiedAt.put(source, changedAt(source));
            if (Files.exists(source)) Files.walkFileTree(source, new Copier(hostEtc, fresh));
        }
        if (authority != null) {
            copiedAt.put(authority, changedAt(authority));
            TrustStore.add(fresh, authority);
        }
        for (var file : own.entrySet()) {
            Path path = fresh.resolve(file.getKey());
            Files.writeString(path, file.getValue());
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("r--r--r--"));
        }
        // Exists but is closed to everyone, so that programs get "Permission denied" as usual.
        Files.createFile(fresh.resolve("shadow"));
        Files.setPosixFilePermissions(fresh.resolve("shadow"), Set.of());
        Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.move(fresh, template.resolve(name + "-" + ++copies));
    }

    /** Debian keeps JDK startup files, such as java.security, outside of the JDK's folder. */
    private List<String> shared() throws IOException {
        List<String> names = new ArrayList<>(SHARED);
        copiedAt.put(hostEtc, changedAt(hostEtc));
        try (var folders = Files.newDirectoryStream(hostEtc, "java-*-openjdk")) {
            folders.forEach(folder -> names.add(String.valueOf(folder.getFileName())));
        }
        return names;
    }

    /** Removes a file or folder recursively; no error if it does not exist. */
    static void remove(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) return;
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path done, @Nullable IOException failure) throws IOException {
                Files.delete(done);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private final class Copier extends SimpleFileVisitor<Path> {
        private final Path from;
        private final Path to;

        Copier(Path from, Path to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
            copiedAt.put(folder, attributes.lastModifiedTime());
            if (!isOpen(folder, PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_EXECUTE)) {
                return FileVisitResult.SKIP_SUBTREE;
            }
            Path made = Files.createDirectory(target(folder));
            Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            if (attributes.isSymbolicLink()) {
                Files.createSymbolicLink(target(file), Files.readSymbolicLink(file));
            } else if (attributes.isRegularFile() && isOpen(file, PosixFilePermission.OTHERS_READ)) {
                copiedAt.put(file, attributes.lastModifiedTime());
                Files.copy(file, target(file));
                Files.setPosixFilePermissions(target(file), PosixFilePermissions.fromString("r--r--r--"));
            }
            return FileVisitResult.CONTINUE;
        }

        /** A file that vanished is skipped; its folder's time has changed, so the next use copies again. */
        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) {
            return FileVisitResult.CONTINUE;
        }

        private Path target(Path source) {
            return to.resolve(from.relativize(source));
        }

        private static boolean isOpen(Path path, PosixFilePermission... wanted) throws IOException {
            return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .permissions()
                    .containsAll(Set.of(wanted));
        }
    }
}
