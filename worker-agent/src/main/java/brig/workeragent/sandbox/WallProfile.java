package brig.workeragent.sandbox;

import brig.protocol.spawn.WallKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a worker's wall.
 *
 * <p>Decision 0015.
 *
 * @param workspace         host folder that appears as {@code /workspace}; absolute
 * @param workspaceReadOnly whether the worker may only read it
 * @param mounts            further host paths, mounted in this order after all others
 * @param environment       all of the payload's environment; bwrap adds {@code PWD=/workspace}
 * @param hostname          the host name inside
 * @param tmpBytesMax       size of {@code /tmp}; reached: ENOSPC
 * @param homeBytesMax      size of the home folder, which starts empty; reached: ENOSPC
 * @param nested            permits nested namespaces, for an agent with its own sandbox: a weaker wall
 * @param network           its network; {@link NetworkPlan#NONE} for none
 * @param shells            what stands in for its shells; null for its own
 * @param image             whose files are its programs and libraries; null for the host's
 * @param kind              whether a second kernel stands in it
 */
public record WallProfile(
        Path workspace,
        boolean workspaceReadOnly,
        List<Mount> mounts,
        Map<String, String> environment,
        String hostname,
        long tmpBytesMax,
        long homeBytesMax,
        boolean nested,
        NetworkPlan network,
        @Nullable Shells shells,
        @Nullable Image image,
        WallKind kind) {

    /** Files that an image must have, below its root. */
    public static final List<String> COVERED_IN_IMAGES = WallTemplate.coveredInImages();

    public static final String WORKSPACE = "/workspace";

    /**
     * Shells whose commands run elsewhere.
     *
     * @param place     the host's folder with the socket of brig-shim; {@code /run/brig/shell} inside
     * @param local     the folder inside with the wall's own shells
     * @param directory where the command starts, instead of the workspace
     */
    public record Shells(Path place, Path local, Path directory) {
        public Shells {
            requireAbsolute("shells", place);
            requireAbsolute("shells", directory);
        }
    }

    /**
     * An unpacked image.
     *
     * @param folder its files, which stay as they are
     * @param layer where writes go; null for a read-only root
     */
    public record Image(Path folder, @Nullable Layer layer) {
        public Image {
            requireAbsolute("image", folder);
        }
    }

    /** Two empty or earlier used folders of the workers' user, on one file system. One wall at a time may have them. */
    public record Layer(Path upper, Path work) {
        public Layer {
            requireAbsolute("layer", upper);
            requireAbsolute("layer", work);
        }
    }

    /** A host path and its path inside. */
    public record Mount(Path source, Path target, boolean readOnly) {
        public Mount {
            requireAbsolute("mounts", source);
            requireAbsolute("mounts", target);
            checkTarget(target);
        }
    }

    public static final String HOME = "/home/worker";
    /** The worker's user and group id inside. */
    public static final int INSIDE_UID = 1000;

    /** Variables that programs expect. */
    public static final Map<String, String> BASE_ENVIRONMENT = Map.of(
            "PATH",
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME",
            HOME,
            "USER",
            "worker",
            "LOGNAME",
            "worker",
            "SHELL",
            "/bin/sh",
            "LANG",
            "C.UTF-8",
            "TERM",
            "dumb",
            "TMPDIR",
            "/tmp");

    private static final long MIB = 1024 * 1024;
    private static final Pattern HOSTNAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    /** Paths that a mount may not be, cover or be inside of: the wall's own mounts, and sockets of the host. */
    private static final List<String> RESERVED =
            List.of("/proc", "/sys", "/dev", "/run", "/var/run", "/etc", "/usr", HOME, "/boot");

    public WallProfile {
        requireAbsolute("workspace", workspace);
        mounts = List.copyOf(mounts);
        environment = Map.copyOf(environment);
        environment.forEach(WallProfile::checkVariable);
        if (!HOSTNAME.matcher(hostname).matches()) {
            throw new IllegalArgumentException("hostname: " + hostname);
        }
        if (tmpBytesMax < MIB || homeBytesMax < MIB) {
            throw new IllegalArgumentException("tmpBytesMax and homeBytesMax must be at least " + MIB);
        }
    }

    /** A wall of the usual kind, of the host's files, with its own shells. */
    public WallProfile(
            Path workspace,
            boolean workspaceReadOnly,
            List<Mount> mounts,
            Map<String, String> environment,
            String hostname,
            long tmpBytesMax,
            long homeBytesMax,
            boolean nested,
            NetworkPlan network) {
        this(
                workspace,
                workspaceReadOnly,
                mounts,
                environment,
                hostname,
                tmpBytesMax,
                homeBytesMax,
                nested,
                network,
                null,
                null,
                WallKind.BWRAP);
    }

    /** The default wall: writable workspace, base environment, 1 GiB in {@code /tmp}, 512 MiB at home. */
    public static WallProfile of(Path workspace) {
        return new WallProfile(
                workspace,
                false,
                List.of(),
                BASE_ENVIRONMENT,
                "worker",
                1024 * MIB,
                512 * MIB,
                false,
                NetworkPlan.NONE);
    }

    /** A copy with further mounts after the existing ones. */
    public WallProfile with(List<Mount> further) {
        var all = new ArrayList<>(mounts);
        all.addAll(further);
        return new WallProfile(
                workspace,
                workspaceReadOnly,
                all,
                environment,
                hostname,
                tmpBytesMax,
                homeBytesMax,
                nested,
                network,
                shells,
                image,
                kind);
    }

    /** A copy whose programs and libraries are those of an image; null for the host's. */
    public WallProfile withImage(@Nullable Image other) {
        return new WallProfile(
                workspace,
                workspaceReadOnly,
                mounts,
                environment,
                hostname,
                tmpBytesMax,
                homeBytesMax,
                nested,
                network,
                shells,
                other,
                kind);
    }

    /** A copy with that network. */
    public WallProfile withNetwork(NetworkPlan plan) {
        return new WallProfile(
                workspace,
                workspaceReadOnly,
                mounts,
                environment,
                hostname,
                tmpBytesMax,
                homeBytesMax,
                nested,
                plan,
                shells,
                image,
                kind);
    }

    /** A copy with other shells; null for its own. */
    public WallProfile withShells(@Nullable Shells other) {
        return new WallProfile(
                workspace,
                workspaceReadOnly,
                mounts,
                environment,
                hostname,
                tmpBytesMax,
                homeBytesMax,
                nested,
                network,
                other,
                image,
                kind);
    }

    /** A copy of that kind. */
    public WallProfile withKind(WallKind other) {
        return new WallProfile(
                workspace,
                workspaceReadOnly,
                mounts,
                environment,
                hostname,
                tmpBytesMax,
                homeBytesMax,
                nested,
                network,
                shells,
                image,
                other);
    }

    /** What it writes besides its mounts; null for a read-only root. */
    @Nullable
    Layer layer() {
        return image == null ? null : image.layer();
    }

    /** Whether a second kernel stands in it. */
    boolean hasSecondKernel() {
        return kind != WallKind.BWRAP;
    }

    @Nullable
    SecondKernel secondKernel() {
        return SecondKernel.of(kind);
    }

    /** Paths below the workspace are allowed: it is mounted before. */
    private static void checkTarget(Path target) {
        for (String reserved : RESERVED) {
            if (target.startsWith(reserved) || Path.of(reserved).startsWith(target)) {
                throw new IllegalArgumentException("mounts: " + target + " would reach into " + reserved);
            }
        }
        if (Path.of(WORKSPACE).startsWith(target)) {
            throw new IllegalArgumentException("mounts: " + target + " would cover the workspace");
        }
    }

    private static void checkVariable(String name, String value) {
        if (!VARIABLE.matcher(name).matches() || value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("environment: the variable " + name + " is malformed");
        }
    }

    private static void requireAbsolute(String name, Path path) {
        if (!path.isAbsolute()
                || !path.equals(path.normalize())
                || path.toString().indexOf('\0') >= 0) {
            throw new IllegalArgumentException(name + ": " + path + " is not an absolute, normal path");
        }
    }
}
