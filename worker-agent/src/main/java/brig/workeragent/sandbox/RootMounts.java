package brig.workeragent.sandbox;

import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The programs and libraries of a wall: the host's, or all that an image has. Below the root each top folder is a mount
 * of its own, since the mounts of the wall itself need places to be. A writable root is the same, below an overlay that
 * is mounted over the image's folder before bwrap starts.
 *
 * <p>Decisions 0208, 0213.
 */
final class RootMounts {
    /** Links into /usr on a merged host, folders otherwise. */
    private static final List<String> SYSTEM_FOLDERS = List.of("bin", "sbin", "lib", "lib32", "lib64", "libx32");
    /** What an image has there is not used. */
    private static final Set<String> WALLS_OWN = Set.of("proc", "sys", "dev", "run", "etc", "home", "tmp", "boot");

    private static final Path ROOT = Path.of("/");
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._+@-]+");

    private final Path host;

    RootMounts(Path host) {
        this.host = host;
    }

    void add(List<String> options, WallProfile profile) throws SandboxException {
        WallProfile.Image image = profile.image();
        if (image == null) {
            addHost(options);
            return;
        }
        try {
            if (image.layer() != null) {
                addWritable(options, image.folder());
                requirePlaces(
                        profile,
                        profile.mounts().stream().map(WallProfile.Mount::target).toList());
                return;
            }
            List<Path> places = Stream.concat(
                            Stream.of(Path.of(WallProfile.WORKSPACE)),
                            profile.mounts().stream().map(WallProfile.Mount::target))
                    .toList();
            addFolder(options, image.folder(), ROOT, places);
        } catch (IOException | DirectoryIteratorException gone) {
            throw unreadable(image, gone);
        }
    }

    private static SandboxException unreadable(WallProfile.Image image, Exception gone) {
        return new SandboxException(
                Code.SANDBOX_UNAVAILABLE, "cannot read the image in " + image.folder() + ": " + gone);
    }

    /** The folders and files of a root that can be written; none of a read-only one. */
    static List<String> writable(WallProfile profile) throws SandboxException {
        WallProfile.Image image = profile.image();
        if (image == null || image.layer() == null) return List.of();
        try {
            return Stream.concat(
                            Stream.of("/etc"),
                            children(image.folder()).stream()
                                    .filter(RootMounts::isWritable)
                                    .map(child -> "/" + child.getFileName()))
                    .toList();
        } catch (IOException | DirectoryIteratorException gone) {
            throw unreadable(image, gone);
        }
    }

    private static boolean isWallsOwn(Path child) {
        String name = String.valueOf(child.getFileName());
        return WALLS_OWN.contains(name) || WallProfile.WORKSPACE.equals("/" + name);
    }

    /** Process 1 gets the names in a list, and compares them with what the kernel escapes. */
    private static boolean isWritable(Path child) {
        return !isWallsOwn(child)
                && !Files.isSymbolicLink(child)
                && PLAIN.matcher(String.valueOf(child.getFileName())).matches();
    }

    /** The names of the image are those of the root: nobody can add to them, and the overlay is mounted over its folder. */
    private static void addWritable(List<String> options, Path folder) throws IOException {
        for (Path child : children(folder)) {
            String at = "/" + child.getFileName();
            if (isWallsOwn(child)) continue;
            if (Files.isSymbolicLink(child)) {
                options.addAll(
                        List.of("--symlink", Files.readSymbolicLink(child).toString(), at));
            } else {
                options.addAll(List.of(isWritable(child) ? "--bind" : "--ro-bind", child.toString(), at));
            }
        }
    }

    /**
     * Checks that bwrap follows no link on the way to places in a writable root: an earlier session may have made some.
     * Nobody else has the layer meanwhile.
     */
    static void requirePlaces(WallProfile profile, Collection<Path> places) throws SandboxException {
        WallProfile.Image image = profile.image();
        if (image == null || image.layer() == null) return;
        for (Path place : places) {
            if (isWallsOwn(ROOT.resolve(place.getName(0))) && !place.startsWith("/etc")) continue;
            for (Path at = place; at.getNameCount() > 0; at = above(at)) {
                Path below = ROOT.relativize(at);
                Path written = image.layer().upper().resolve(below);
                boolean isNew = Files.exists(written, LinkOption.NOFOLLOW_LINKS);
                if (Files.isSymbolicLink(isNew ? written : image.folder().resolve(below))) {
                    throw new SandboxException(
                            Code.WALL_UNAVAILABLE,
                            at + " of the root is a link, and the wall mounts " + place + " there: "
                                    + (isNew
                                            ? "an earlier session made it. 'brig workspaces' lists kept roots, 'brig"
                                                    + " discard' removes one"
                                            : "take a read-only root, or an image without this link"));
                }
            }
        }
    }

    private static Path above(Path place) {
        Path parent = place.getParent();
        return parent == null ? ROOT : parent;
    }

    private void addHost(List<String> options) {
        options.addAll(List.of("--ro-bind", "/usr", "/usr"));
        for (String name : SYSTEM_FOLDERS) {
            Path folder = host.resolve(name);
            if (Files.isSymbolicLink(folder)) {
                options.addAll(List.of("--symlink", "usr/" + name, "/" + name));
            } else if (Files.isDirectory(folder)) {
                options.addAll(List.of("--ro-bind", "/" + name, "/" + name));
            }
        }
    }

    /**
     * Mounts what a folder of the image has. One with a place for another mount in it is made anew, and never a link,
     * which bwrap would follow.
     */
    private static void addFolder(List<String> options, Path folder, Path target, List<Path> places)
            throws IOException {
        for (Path child : children(folder)) {
            Path at = target.resolve(child.getFileName());
            if (at.getNameCount() == 1 && WALLS_OWN.contains(String.valueOf(at.getFileName()))) continue;
            boolean isFolder = Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS);
            if (places.stream().anyMatch(place -> place.equals(at))) continue;
            if (places.stream().anyMatch(place -> place.startsWith(at))) {
                options.addAll(List.of("--perms", "0755", "--dir", at.toString()));
                if (isFolder) addFolder(options, child, at, places);
            } else if (Files.isSymbolicLink(child)) {
                options.addAll(
                        List.of("--symlink", Files.readSymbolicLink(child).toString(), at.toString()));
            } else {
                options.addAll(List.of("--ro-bind", child.toString(), at.toString()));
            }
        }
    }

    private static List<Path> children(Path folder) throws IOException {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            all.forEach(children::add);
        }
        children.sort(null);
        return children;
    }
}
