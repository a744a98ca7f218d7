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

/**
 * The properties declared for walls of this host, which brig-init must confirm before it starts the payload, each
 * {@code NAME} or {@code NAME=VALUE} as in {@code posture.c}.
 *
 * <p>Decisions 0019, 0110, 0137.
 */
final class DeclaredPosture {

    static final String EGRESS_NETWORK = "egress-network";
    private static final String NETWORK = "own-network";

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
    private final UserCounts counts;
    private final WorkspaceMounts mounts;

    private DeclaredPosture(Map<String, String> namespaces, UserCounts counts, WorkspaceMounts mounts) {
        this.namespaces = namespaces;
        this.counts = counts;
        this.mounts = mounts;
    }

    /** Reads the ids of this process's own namespaces, which a wall must not have. */
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
        return new DeclaredPosture(numbers, counts, mounts);
    }

    /** @param memoryGroup whether a group limits memory */
    List<String> of(WallProfile profile, boolean memoryGroup) throws SandboxException {
        var declared = new ArrayList<>(ALWAYS);
        declared.add("seccomp-filter=" + (profile.nested() ? "nested" : "") + (memoryGroup ? "" : ",rlimits"));
        if (counts.inotifyInstances() > 0) declared.add("inotify-bounded=" + counts.inotifyInstances());
        declared.add(profile.nested() ? "proc-sys-read-only=tried" : "proc-sys-read-only");
        declared.add("root-read-only="
                + profile.mounts().stream()
                        .filter(mount -> !mount.readOnly())
                        .map(mount -> mount.target().toString())
                        .collect(Collectors.joining(":")));
        namespaces.forEach((property, number) ->
                declared.add(property.equals(NETWORK) ? network(number, profile.network()) : property + "=" + number));
        declared.add("workspace=" + (profile.workspaceReadOnly() ? "ro" : "rw"));
        declared.add("workspace-mounts=" + String.join(" ", mounts.declared(profile)));
        declared.add("tmp-sized=" + profile.tmpBytesMax());
        declared.add("home-sized=" + profile.homeBytesMax());
        declared.add("shm-sized=" + BubblewrapCommand.SHARED_MEMORY_BYTES);
        var names = new TreeSet<>(profile.environment().keySet());
        names.add("PWD");
        declared.add("environment-empty=" + String.join(",", names));
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
