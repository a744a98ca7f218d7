package brig.workeragent.image.unpack;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.workeragent.image.unpack.ImageEntry.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of an image on disk, layer over layer. Paths are resolved as if its folder were the root: a link or a
 * {@code ..} never leads out of it. Devices, owners and the bits for other users are left out, as a worker has one user.
 */
final class ImageTree {
    /** The content of a file. */
    interface Content {
        /** -1 at the end. */
        int read(byte[] buffer) throws IOException;
    }

    private static final String WHITEOUT = ".wh.";
    /** Hides all that lower layers have in the same folder. */
    private static final String OPAQUE = ".wh..wh..opq";

    private static final int PATH_LENGTH_MAX = 1024;
    private static final int NAME_BYTES_MAX = 255;
    private static final int LINK_LENGTH_MAX = 4000;
    private static final int DEPTH_MAX = 128;
    private static final int LINKS_MAX = 40;
    private static final long SECONDS_MAX = 4_102_444_800L;

    private final Path root;
    private final Bounds bounds;
    private final byte[] buffer = new byte[64 * 1024];
    /** Paths that the current layer made, which its own whiteouts do not hide. */
    private final Set<Path> made = new HashSet<>();

    private long leftOut;

    ImageTree(Path root, Bounds bounds) {
        this.root = root;
        this.bounds = bounds;
    }

    /** How many files were left out. */
    long leftOut() {
        return leftOut;
    }

    void leaveOut() {
        leftOut++;
    }

    void beginLayer() {
        made.clear();
    }

    /** Adds a file of a layer, or removes what its name says. */
    void addOfLayer(ImageEntry entry, Content content) throws IOException {
        List<String> path = names(entry.path());
        if (path.isEmpty() || !path.getLast().startsWith(WHITEOUT)) {
            add(entry, content);
            return;
        }
        Path folder = folder(path.subList(0, path.size() - 1), false);
        if (folder == null) {
            return;
        }
        if (path.getLast().equals(OPAQUE)) {
            for (Path child : children(folder)) {
                removeOlder(child);
            }
        } else if (!path.getLast().startsWith(WHITEOUT + WHITEOUT)) {
            removeOlder(folder.resolve(named(path.getLast().substring(WHITEOUT.length()))));
        }
    }

    void add(ImageEntry entry, Content content) throws IOException {
        List<String> path = names(entry.path());
        if (entry.kind() == Kind.OTHER) {
            leaveOut();
            return;
        }
        if (path.isEmpty()) {
            return;
        }
        bounds.addFile();
        Path folder = folder(path.subList(0, path.size() - 1), true);
        if (folder == null) {
            throw new IllegalStateException("made, and yet not there");
        }
        Path file = folder.resolve(path.getLast());
        switch (entry.kind()) {
            case FOLDER -> makeFolder(file);
            case FILE -> write(file, entry, content);
            case SYMBOLIC_LINK -> link(file, entry.link());
            case HARD_LINK -> linkHard(file, names(entry.link()));
            case OTHER -> {}
        }
        made.add(file);
    }

    private void makeFolder(Path file) throws IOException {
        BasicFileAttributes there = look(file);
        if (there == null || !there.isDirectory()) {
            remove(file);
            Files.createDirectory(file);
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void write(Path file, ImageEntry entry, Content content) throws IOException {
        remove(file);
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
            for (int count = content.read(buffer); count >= 0; count = content.read(buffer)) {
                bounds.addBytes(count);
                out.write(buffer, 0, count);
            }
        }
        Files.setPosixFilePermissions(
                file, PosixFilePermissions.fromString(entry.executable() ? "rwxr-xr-x" : "rw-r--r--"));
        long seconds = Math.min(Math.max(0, entry.modifiedSeconds()), SECONDS_MAX);
        Files.setLastModifiedTime(file, FileTime.fromMillis(seconds * 1000));
    }

    private void link(Path file, String target) throws IOException {
        if (target.isEmpty() || target.length() > LINK_LENGTH_MAX) {
            throw new UnusableImageException("a symbolic link leads nowhere: " + shown(file));
        }
        remove(file);
        Files.createSymbolicLink(file, Path.of(target));
    }

    private void linkHard(Path file, List<String> target) throws IOException {
        Path folder = target.isEmpty() ? null : folder(target.subList(0, target.size() - 1), false);
        Path first = folder == null ? null : folder.resolve(target.getLast());
        BasicFileAttributes there = first == null ? null : look(first);
        if (first == null || there == null || there.isDirectory()) {
            throw new UnusableImageException("a hard link leads to no file: " + shown(file));
        }
        if (first.equals(file)) {
            return;
        }
        remove(file);
        if (there.isSymbolicLink()) {
            Files.createSymbolicLink(file, Files.readSymbolicLink(first));
        } else {
            Files.createLink(file, first);
        }
    }

    /** Makes these regular files, in real folders, so that others can be mounted over them. */
    void prepare(List<String> files) throws IOException {
        for (String file : files) {
            Path at = root;
            List<String> path = names(file);
            for (String name : path.subList(0, path.size() - 1)) {
                at = at.resolve(name);
                makeFolder(at);
            }
            Path last = at.resolve(path.getLast());
            BasicFileAttributes there = look(last);
            if (there == null || !there.isRegularFile()) {
                remove(last);
                Files.createFile(
                        last, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
            }
        }
    }

    /** Whether there is such a file, as a program inside would see it. */
    boolean has(String path) throws IOException {
        Deque<String> names = new ArrayDeque<>(names(path));
        for (int links = 0; links <= LINKS_MAX; links++) {
            List<String> all = List.copyOf(names);
            Path folder = all.isEmpty() ? null : folder(all.subList(0, all.size() - 1), false);
            BasicFileAttributes there = folder == null ? null : look(folder.resolve(all.getLast()));
            if (folder == null || there == null || !there.isSymbolicLink()) {
                return there != null && there.isRegularFile();
            }
            String target =
                    Files.readSymbolicLink(folder.resolve(all.getLast())).toString();
            names = new ArrayDeque<>();
            if (!target.startsWith("/")) {
                for (Path name : root.relativize(folder)) {
                    names.add(name.toString());
                }
            }
            names.addAll(List.of(target.split("/", -1)));
        }
        return false;
    }

    /** The real folder of that path below the root. @return null if it does not exist and is not to be made */
    private @Nullable Path folder(List<String> path, boolean make) throws IOException {
        Deque<String> left = new ArrayDeque<>(path);
        Path at = root;
        int links = 0;
        while (!left.isEmpty()) {
            String name = left.removeFirst();
            if (name.isEmpty() || name.equals(".")) {
                continue;
            }
            if (name.equals("..")) {
                Path above = at.getParent();
                at = at.equals(root) || above == null ? root : above;
                continue;
            }
            Path next = at.resolve(named(name));
            BasicFileAttributes there = look(next);
            if (there != null && there.isSymbolicLink()) {
                if (++links > LINKS_MAX) {
                    throw new UnusableImageException("symbolic links lead in circles: " + shown(next));
                }
                String target = Files.readSymbolicLink(next).toString();
                List<String> names = List.of(target.split("/", -1));
                for (int i = names.size() - 1; i >= 0; i--) {
                    left.addFirst(names.get(i));
                }
                at = target.startsWith("/") ? root : at;
                continue;
            }
            if (there == null || !there.isDirectory()) {
                if (!make) {
                    return null;
                }
                if (next.getNameCount() - root.getNameCount() > DEPTH_MAX) {
                    throw new UnusableImageException("folders are more than " + DEPTH_MAX + " deep");
                }
                bounds.addFile();
                makeFolder(next);
                made.add(next);
            }
            at = next;
        }
        return at;
    }

    /** The names of a path. A leading slash is the image's root. */
    private static List<String> names(String path) throws UnusableImageException {
        List<String> names = new ArrayList<>();
        if (path.length() > PATH_LENGTH_MAX) {
            throw new UnusableImageException("a path is longer than " + PATH_LENGTH_MAX);
        }
        for (String name : path.split("/", -1)) {
            if (name.equals("..")) {
                throw new UnusableImageException("a path leads out: " + printable(path));
            }
            if (!name.isEmpty() && !name.equals(".")) {
                names.add(named(name));
            }
        }
        if (names.size() > DEPTH_MAX) {
            throw new UnusableImageException("folders are more than " + DEPTH_MAX + " deep");
        }
        return names;
    }

    private static String named(String name) throws UnusableImageException {
        boolean isName = !name.isEmpty() && !name.equals(".") && !name.equals("..") && !name.contains("/");
        if (!isName || name.getBytes(UTF_8).length > NAME_BYTES_MAX) {
            throw new UnusableImageException("no file can have the name " + printable(name));
        }
        return name;
    }

    private static @Nullable BasicFileAttributes look(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static List<Path> children(Path folder) throws IOException {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            all.forEach(children::add);
        }
        return children;
    }

    private static void remove(Path file) throws IOException {
        BasicFileAttributes there = look(file);
        if (there == null) {
            return;
        }
        if (there.isDirectory()) {
            for (Path child : children(file)) {
                remove(child);
            }
        }
        Files.delete(file);
    }

    /** Removes what this layer did not make. @return whether nothing is left */
    private boolean removeOlder(Path file) throws IOException {
        BasicFileAttributes there = look(file);
        if (there == null) {
            return true;
        }
        boolean empty = true;
        if (there.isDirectory()) {
            for (Path child : children(file)) {
                empty &= removeOlder(child);
            }
        }
        if (made.contains(file) || !empty) {
            return false;
        }
        Files.delete(file);
        return true;
    }

    private String shown(Path file) {
        return printable(root.relativize(file).toString());
    }

    private static String printable(String path) {
        String plain = path.replaceAll("[^\\x20-\\x7e]", "?");
        return plain.length() > 200 ? plain.substring(0, 200) + "…" : plain;
    }
}
