package brig.workeragent.sandbox;

import brig.workeragent.limits.UserCounts;
import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The properties declared for walls of this host, which brig-init must confirm before it starts the payload, each
 * {@code NAME} or {@code NAME=VALUE} as in {@code posture.c}.
 *
 * <p>Decisions 0019, 0110, 0137.
 */
final class DeclaredPosture {

    static final String EGRESS_NETWORK = "egress-network";
    private static final String NETWORK = "own-network";
    /** Begins the names of what is measured behind a second kernel. */
    private static final String SECOND_KERNEL = "second-kernel/";

    private static final String SHM_SIZED = "shm-sized=" + BubblewrapCommand.SHARED_MEMORY_BYTES;

    /** The kind of namespace that must differ from the host's, by property. */
    private static final Map<String, String> NAMESPACES = Map.of(
            "own-user-namespace",
            "user",
            "own-pid-namespace",
            "pid",
            NETWORK,
            "net",
            "own-ipc",
            "ipc",
            "own-uts",
            "uts",
            "own-mounts",
            "mnt",
            "own-cgroup",
            "cgroup");

    /** Properties of every wall, whatever its profile. */
    private static final List<String> ALWAYS = List.of(
            "uid-not-root",
            "no-capabilities",
            "no-new-privs",
            "no-host-sockets",
            "no-terminal",
            "descriptors",
            "init-sealed",
            "limits");

    private final Map<String, String> namespaces;
    private final String kernel;
    private final UserCounts counts;
    private final WorkspaceMounts mounts;

    private DeclaredPosture(Map<String, String> namespaces, String kernel, UserCounts counts, WorkspaceMounts mounts) {
        this.namespaces = namespaces;
        this.kernel = kernel;
        this.counts = counts;
        this.mounts = mounts;
    }

    /** Reads the ids of this process's own namespaces, and its kernel, which a wall must not have. */
    static DeclaredPosture ofHost(UserCounts counts, WorkspaceMounts mounts) throws SandboxException {
        var numbers = new LinkedHashMap<String, String>();
        for (String property : new TreeSet<>(NAMESPACES.keySet())) {
            String kind = String.valueOf(NAMESPACES.get(property));
            try {
                // Format: kind:[number], namespaces(7).
                String link =
                        Files.readSymbolicLink(Path.of("/proc/self/ns/" + kind)).toString();
                numbers.put(property, link.substring(kind.length() + 2, link.length() - 1));
            } catch (IOException unreadable) {
                throw new SandboxException(
                        Code.SANDBOX_UNAVAILABLE,
                        "this kernel does not tell its namespaces: " + unreadable.getMessage());
            }
        }
        return new DeclaredPosture(numbers, kernelOfHost(), counts, mounts);
    }

    /** As uname(2) has it: the release, a space, the version. */
    private static String kernelOfHost() throws SandboxException {
        try {
            Path folder = Path.of("/proc/sys/kernel");
            // Not readString: it reads a byte first, and older kernels return a setting to the first read only.
            return Files.readAllLines(folder.resolve("osrelease")).getFirst() + " "
                    + Files.readAllLines(folder.resolve("version")).getFirst();
        } catch (IOException unreadable) {
            throw new SandboxException(
                    Code.SANDBOX_UNAVAILABLE, "this kernel does not tell its version: " + unreadable.getMessage());
        }
    }

    /**
     * The properties of one wall.
     *
     * @param secondKernel those that are measured behind the second kernel; empty without one
     */
    record Declared(List<String> wall, List<String> secondKernel) {
        /** All, by the names under which they are reported. */
        List<String> names() {
            return Stream.concat(
                            wall.stream().map(DeclaredPosture::nameOf),
                            secondKernel.stream().map(each -> SECOND_KERNEL + nameOf(each)))
                    .toList();
        }
    }

    /** @param memoryGroup whether a group limits memory */
    Declared of(WallProfile profile, boolean memoryGroup) throws SandboxException {
        SecondKernel kernel = profile.secondKernel();
        return new Declared(wall(profile, memoryGroup), kernel == null ? List.of() : kernel.declared(this, profile));
    }

    /**
     * What a second kernel enforces itself; the rest is enforced around it.
     *
     * @param writable further folders that are, each with a colon
     */
    List<String> behindKernel(WallProfile profile, String writable) throws SandboxException {
        return List.of(
                "other-kernel=" + kernel,
                "no-new-privs",
                "init-sealed",
                "no-terminal",
                "no-host-sockets",
                "descriptors",
                "limits",
                "root-read-only=" + writable + writable(profile),
                workspace(profile),
                "tmp-sized=" + profile.tmpBytesMax(),
                "home-sized=" + profile.homeBytesMax(),
                SHM_SIZED,
                environment(profile));
    }

    private static String writable(WallProfile profile) throws SandboxException {
        return Stream.concat(
                        RootMounts.writable(profile).stream(),
                        profile.mounts().stream()
                                .filter(mount -> !mount.readOnly())
                                .map(mount -> mount.target().toString()))
                .collect(Collectors.joining(":"));
    }

    private static String workspace(WallProfile profile) {
        return "workspace=" + (profile.workspaceReadOnly() ? "ro" : "rw");
    }

    private static String environment(WallProfile profile) {
        var names = new TreeSet<>(profile.environment().keySet());
        names.add("PWD");
        return "environment-empty=" + String.join(",", names);
    }

    private List<String> wall(WallProfile profile, boolean memoryGroup) throws SandboxException {
        var declared = new ArrayList<>(ALWAYS);
        String allowed = profile.hasSecondKernel() ? "second-kernel" : profile.nested() ? "nested" : "";
        declared.add("seccomp-filter=" + allowed + (memoryGroup ? "" : ",rlimits"));
        if (counts.inotifyInstances() > 0) declared.add("inotify-bounded=" + counts.inotifyInstances());
        declared.add(allowed.isEmpty() ? "proc-sys-read-only" : "proc-sys-read-only=tried");
        declared.add("root-read-only=" + writable(profile));
        namespaces.forEach((property, number) ->
                declared.add(property.equals(NETWORK) ? network(number, profile.network()) : property + "=" + number));
        declared.add(workspace(profile));
        declared.add("workspace-mounts=" + String.join(" ", mounts.declared(profile)));
        declared.add("tmp-sized=" + profile.tmpBytesMax());
        declared.add("home-sized=" + profile.homeBytesMax());
        declared.add(SHM_SIZED);
        declared.add(environment(profile));
        return declared;
    }

    private static String network(String host, NetworkPlan network) {
        if (!network.exists()) return NETWORK + "=" + host;
        return EGRESS_NETWORK + "=" + host
                + network.listeners().stream()
                        .map(listener -> "," + listener.declared())
                        .collect(Collectors.joining());
    }

    static String nameOf(String declared) {
        return declared.split("=", 2)[0];
    }
}
