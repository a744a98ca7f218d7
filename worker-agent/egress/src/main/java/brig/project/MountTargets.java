package brig.project;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The paths inside a wall at which a policy may mount something. */
public final class MountTargets {
    /** The mount that every policy has. */
    public static final String WORKSPACE = "/workspace";

    /** Paths of the wall itself, at which a mount would replace a part of it, or is impossible. */
    private static final List<String> WALLS_OWN = List.of(
            "/proc",
            "/sys",
            "/dev",
            "/etc",
            "/run",
            "/var/run",
            "/boot",
            "/root",
            "/home",
            "/tmp",
            "/usr",
            "/bin",
            "/sbin",
            "/lib",
            "/lib32",
            "/lib64",
            "/libx32",
            WORKSPACE);

    private MountTargets() {}

    /** Whether it is an absolute path as the wall itself would write it, and not the root. */
    public static boolean isPlain(String path) {
        return path.startsWith("/")
                && path.length() > 1
                && path.indexOf('\0') < 0
                && Path.of(path).normalize().toString().equals(path);
    }

    /** The wall's own path that such a mount would reach into; null for none. */
    public static @Nullable String reserved(Path target) {
        return WALLS_OWN.stream()
                .filter(own -> overlap(target, Path.of(own)))
                .findFirst()
                .orElse(null);
    }

    /** Whether one of them is, or lies below, the other. */
    private static boolean overlap(Path one, Path other) {
        return one.startsWith(other) || other.startsWith(one);
    }
}
