package brig.workeragent.profile;

import brig.workeragent.profile.Policy.Mount;
import brig.workeragent.wall.Confinement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The rules for host paths in a policy's mounts. They are checked anew for each spawn, as the host may have changed,
 * and apply to the real path, which is what is bound.
 *
 * @param homes home folders; closed with everything in them
 * @param ownFolders Brig's state and runtime folders; closed likewise
 * @param workspaceBases mounts below them may be writable, and are permitted even if the base is in a closed folder
 * @param workerUid this user could replace its own folders by a link while they are being bound
 */
public record MountRules(List<Path> homes, List<Path> ownFolders, List<Path> workspaceBases, int workerUid) {
    private static final List<Path> CLOSED = Stream.of(
                    "/proc", "/sys", "/dev", "/etc", "/run", "/var/run", "/boot", "/root", "/home")
            .map(Path::of)
            .toList();
    /** Access to one of these sockets is root access to the host. */
    private static final Set<String> ENGINE_SOCKETS =
            Set.of("docker.sock", "containerd.sock", "podman.sock", "crio.sock", "buildkitd.sock");

    private static final int SOCKET_DEPTH = 3;
    private static final int SOCKET_ENTRIES_MAX = 20_000;

    /** The mounts besides the workspace. @throws IllegalArgumentException naming the key */
    List<Confinement.Mount> check(Policy policy) {
        List<Confinement.Mount> mounts = new ArrayList<>();
        for (Map.Entry<String, Mount> entry : new TreeMap<>(policy.mounts()).entrySet()) {
            if (!entry.getKey().equals(Policy.WORKSPACE)) {
                Mount mount = entry.getValue();
                Path host = check("mounts." + entry.getKey(), mount);
                mounts.add(new Confinement.Mount(host, Path.of(entry.getKey()), mount.readonly()));
            }
        }
        checkNotInsideWritable(mounts);
        return mounts;
    }

    private Path check(String key, Mount mount) {
        Path named = Path.of(mount.hostPath());
        Path real = real(key, named);
        boolean inBase = workspaceBases.stream().anyMatch(base -> isBelow(real, base));
        checkPlace(key, named, inBase);
        checkPlace(key, real, inBase);
        checkKind(key, real);
        if (inBase) {
            checkNotOfWorker(key, real);
        } else if (!mount.readonly()) {
            throw refusal(
                    key + ".readonly",
                    "must be true, because " + real + " is not below one of worker.workspaceBases " + workspaceBases);
        }
        return real;
    }

    private static Path real(String key, Path named) {
        try {
            return named.toRealPath();
        } catch (IOException e) {
            throw refusal(key + ".hostPath", named + " does not exist, or cannot be reached");
        }
    }

    private static boolean isBelow(Path path, Path base) {
        try {
            return path.startsWith(base.toRealPath()) && !path.equals(base.toRealPath());
        } catch (IOException missing) {
            return false;
        }
    }

    /** A base inside a home or the state folder opens only what is below the base. */
    private void checkPlace(String key, Path path, boolean inBase) {
        Stream.of(CLOSED, homes, ownFolders).flatMap(List::stream).forEach(closed -> {
            boolean covers = closed.startsWith(path);
            if (covers || (!inBase && path.startsWith(closed))) {
                String how = path.equals(closed) ? " is " : covers ? " holds " : " lies in ";
                throw refusal(key + ".hostPath", path + how + closed + ", which is closed to workers");
            }
        });
    }

    private static void checkKind(String key, Path real) {
        if (!Files.isDirectory(real) && !Files.isRegularFile(real)) {
            throw refusal(key + ".hostPath", real + " is neither a folder nor a file");
        }
        // An unreadable subfolder ends the walk with an exception, as its content is unknown.
        try (Stream<Path> files = Files.find(real, SOCKET_DEPTH, (file, of) -> true)) {
            files.limit(SOCKET_ENTRIES_MAX)
                    .filter(file -> ENGINE_SOCKETS.contains(String.valueOf(file.getFileName())))
                    .findFirst()
                    .ifPresent(socket -> {
                        throw refusal(key + ".hostPath", real + " holds " + socket + ", which is root here");
                    });
        } catch (IOException | UncheckedIOException e) {
            throw refusal(key + ".hostPath", "cannot look through " + real + ": " + e.getMessage());
        }
    }

    private void checkNotOfWorker(String key, Path real) {
        for (Path above = real.getParent(); above != null; above = above.getParent()) {
            try {
                Object owner = Files.getAttribute(above, "unix:uid", LinkOption.NOFOLLOW_LINKS);
                if (Integer.valueOf(workerUid).equals(owner)) {
                    throw refusal(key + ".hostPath", real + " lies in " + above + ", which belongs to a worker");
                }
            } catch (IOException e) {
                throw refusal(key + ".hostPath", "cannot look at " + above + ": " + e.getMessage());
            }
        }
    }

    /** A worker could replace writable content by a link before the next worker's wall is built. */
    private static void checkNotInsideWritable(List<Confinement.Mount> mounts) {
        for (Confinement.Mount outer : mounts) {
            for (Confinement.Mount inner : mounts) {
                boolean two = !inner.target().equals(outer.target());
                if (two && !outer.readOnly() && inner.hostPath().startsWith(outer.hostPath())) {
                    throw refusal(
                            "mounts." + inner.target() + ".hostPath",
                            inner.hostPath() + " lies in " + outer.hostPath() + ", which is writable");
                }
            }
        }
    }

    private static IllegalArgumentException refusal(String key, String why) {
        return new IllegalArgumentException(key + ": " + why);
    }
}
