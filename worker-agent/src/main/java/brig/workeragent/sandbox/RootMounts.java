package brig.workeragent.sandbox;

import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The programs and libraries of a wall: the host's, or all that an image has. Below the root each top folder is a mount
 * of its own, since the mounts of the wall itself need places to be.
 *
 * <p>Decision 0208.
 */
final class RootMounts {
    /** Links into /usr on a merged host, folders otherwise. */
    private static final List<String> SYSTEM_FOLDERS = List.of("bin", "sbin", "lib", "lib32", "lib64", "libx32");
    /** What an image has there is not used. */
    private static final Set<String> WALLS_OWN = Set.of("proc", "sys", "dev", "run", "etc", "home", "tmp", "boot");

    private final Path host;

    RootMounts(Path host) {
        this.host = host;
    }

    void add(List<String> options, WallProfile profile) throws SandboxException {
        Path image = profile.image();
        if (image == null) {
            addHost(options);
            return;
        }
        try {
            List<Path> places = Stream.concat(
                            Stream.of(Path.of(WallProfile.WORKSPACE)),
                            profile.mounts().stream().map(WallProfile.Mount::target))
                    .toList();
            addFolder(options, image, Path.of("/"), places);
        } catch (IOException | DirectoryIteratorException gone) {
            throw new SandboxException(Code.SANDBOX_UNAVAILABLE, "cannot read the image in " + image + ": " + gone);
        }
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
