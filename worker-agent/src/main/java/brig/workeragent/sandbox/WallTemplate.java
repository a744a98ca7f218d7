package brig.workeragent.sandbox;

import brig.seccomp.SeccompFilter;
import brig.seccomp.SeccompFilter.Allowed;
import brig.seccomp.Syscall;
import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files that every wall shares: {@code /etc}, programs, and the system call filters, in one folder that the
 * worker's user can reach but not change. Each is replaced atomically, so existing walls keep the files they were built
 * with.
 */
final class WallTemplate {

    private static final String UNFINISHED = ".new";
    private static final Path HOST = Path.of("/etc");
    /** Programs that workers' users execute; the build's folder may be closed to them. */
    static final List<String> PROGRAMS = List.of(
            "brig-init", "brig-clone", "brig-shim", "brig-overlay", "brig-gvisor", "brig-vm", "libbrig-vm-ram.so");

    private static final String MACHINE_ID = "0".repeat(32) + "\n";

    /** Files of {@code /etc} that differ from the host's. */
    private static final Map<String, String> ETC = Map.of(
            "passwd", """
                    root:x:0:0:root:/:/usr/sbin/nologin
                    worker:x:1000:1000:worker:/home/worker:/bin/sh
                    nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
                    """,
            "group", """
                    root:x:0:
                    worker:x:1000:
                    nogroup:x:65534:
                    """,
            "hosts", """
                    127.0.0.1 localhost
                    ::1 localhost
                    """,
            "nsswitch.conf", """
                    passwd: files
                    group: files
                    hosts: files dns
                    """,
            "resolv.conf", "",
            "machine-id", MACHINE_ID);

    private static final boolean[] BOTH = {false, true};
    /** The replacement for a wall with a network: a socket of the wall answers name queries. */
    private static final Map<String, String> ETC_OF_NETWORK = Map.of("resolv.conf", "nameserver 127.0.0.1\n");

    private final Path folder;
    private final WallEtc etc;
    private final Path programs;
    /** For walls with a network, by the certificate that they trust. Owned by the request thread. */
    private final Map<Optional<Path>, WallEtc> etcOfNetworks = new HashMap<>();

    private WallTemplate(Path folder, WallEtc etc, Path programs) {
        this.folder = folder;
        this.etc = etc;
        this.programs = programs;
    }

    /**
     * The {@code /etc} of a wall.
     *
     * @param covers Brig's files over those of an image, and over trust stores of JDKs elsewhere, by their paths inside
     */
    record Etc(Path folder, Map<Path, Path> covers) {}

    /** An empty file that no worker can read. */
    Path blank() {
        return folder.resolve(LauncherConfig.BLANK);
    }

    /**
     * Writes the template.
     *
     * @param folder       created if absent; all folders above it must be open to the worker's user
     * @param nativeFolder the build's folder of programs
     */
    static WallTemplate install(Path folder, Path nativeFolder, WorkerIdentity identity) throws SandboxException {
        try {
            Files.createDirectories(folder);
            boolean copied = mayExecute(folder, Files.readAllLines(Path.of("/proc/self/mountinfo")));
            // Traversable for workers' users, not readable: its entries name sessions.
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
            removeUnfinished(folder);
            var template = new WallTemplate(
                    folder, new WallEtc(folder, "etc", HOST, ETC, null), copied ? folder : nativeFolder);
            template.put(LauncherConfig.BLANK, new byte[0], "---------");
            Syscall.Machine machine = Syscall.Machine.ofHost();
            for (Allowed allowed : Allowed.values()) {
                for (boolean memoryGroup : BOTH) {
                    template.put(
                            filterName(allowed, memoryGroup),
                            SeccompFilter.build(machine, allowed, memoryGroup),
                            "r--r--r--");
                }
            }
            for (String program : PROGRAMS) {
                template.put(program, Files.readAllBytes(nativeFolder.resolve(program)), "r-xr-xr-x");
            }
            if (identity.switched()) {
                requireOpen(folder, "put the runtime folder elsewhere, for instance below /run");
                requireOpen(
                        template.init(),
                        "install Brig elsewhere, for instance below /opt: of " + folder
                                + ", which is mounted noexec, nothing can be executed");
            }
            return template;
        } catch (IOException | IllegalStateException failed) {
            throw unavailable("cannot write the wall's files to " + folder + ": " + failed);
        }
    }

    private static void requireOpen(Path path, String mend) throws SandboxException {
        Path closed = Reachability.firstClosedFolder(path);
        if (closed != null) {
            throw unavailable("the worker's user cannot get to " + path + ", because " + closed
                    + " is closed to others; " + mend);
        }
    }

    /** Debian mounts /run noexec, which bind mounts of its contents inherit. Format: proc(5). */
    static boolean mayExecute(Path folder, List<String> mountinfo) {
        Path holder = Path.of("/");
        boolean allowed = true;
        for (String line : mountinfo) {
            String[] fields = line.split(" ", 7);
            Path mount = Path.of(fields[4]);
            // Of two mounts at one place the later one is on top.
            if (folder.startsWith(mount) && mount.startsWith(holder)) {
                holder = mount;
                allowed = !List.of(fields[5].split(",", -1)).contains("noexec");
            }
        }
        return allowed;
    }

    /** Removes what a predecessor was writing when it died. One worker-agent at a time uses this folder. */
    private static void removeUnfinished(Path folder) throws IOException {
        try (var unfinished = Files.newDirectoryStream(folder, "*" + UNFINISHED)) {
            for (Path each : unfinished) WallEtc.remove(each);
        }
    }

    private static SandboxException unavailable(String message) {
        return new SandboxException(Code.SANDBOX_UNAVAILABLE, message);
    }

    private void put(String name, byte[] content, String permissions) throws IOException {
        Path fresh = Files.createTempFile(folder, name, UNFINISHED);
        Files.write(fresh, content);
        Set<PosixFilePermission> wanted = PosixFilePermissions.fromString(permissions);
        Files.setPosixFilePermissions(fresh, wanted);
        Files.move(fresh, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** @param image the folder of the image that is the root; null for the host's files */
    Etc etc(NetworkPlan network, @Nullable Path image) throws SandboxException {
        try {
            Path current = (network.exists() ? etcOf(network.authority()) : etc).folder();
            boolean trusts = network.authority() != null;
            Map<Path, Path> covers = new TreeMap<>();
            if (image != null) {
                Stream.concat(ETC.keySet().stream(), trusts ? TrustStore.FILES.stream() : Stream.empty())
                        .forEach(name -> covers.put(Path.of("/etc", name), current.resolve(name)));
                return new Etc(image.resolve("etc"), covers);
            }
            if (trusts) {
                TrustStore.ofJdks(Path.of("/usr")).forEach(list -> covers.put(list, current.resolve(TrustStore.JAVA)));
            }
            return new Etc(current, covers);
        } catch (IOException failed) {
            throw unavailable("cannot copy what walls need of /etc: " + failed);
        }
    }

    /** Files that an image must have, as Brig's own are mounted over them. */
    static List<String> coveredInImages() {
        return Stream.concat(ETC.keySet().stream(), TrustStore.FILES.stream())
                .map(name -> "etc/" + name)
                .sorted()
                .toList();
    }

    private WallEtc etcOf(@Nullable Path authority) throws IOException {
        WallEtc made = etcOfNetworks.get(Optional.ofNullable(authority));
        if (made == null) {
            Map<String, String> own = new HashMap<>(ETC);
            own.putAll(ETC_OF_NETWORK);
            made = new WallEtc(folder, "net" + etcOfNetworks.size() + "etc", HOST, own, authority);
            etcOfNetworks.put(Optional.ofNullable(authority), made);
        }
        return made;
    }

    /** The program of process 1. */
    Path init() {
        return programs.resolve("brig-init");
    }

    /** The program that stands in for shells. */
    Path shim() {
        return programs.resolve("brig-shim");
    }

    /** One of Brig's own programs that walls may have. */
    Path program(String name) {
        return programs.resolve(name);
    }

    /** The folder in which the workers' user can execute Brig's own programs. */
    Path programs() {
        return programs;
    }

    Path filter(Allowed allowed, boolean memoryGroup) {
        return folder.resolve(filterName(allowed, memoryGroup));
    }

    private static String filterName(Allowed allowed, boolean memoryGroup) {
        return "filter-" + allowed.name().toLowerCase(Locale.ROOT) + (memoryGroup ? "" : "-rlimits") + ".bpf";
    }
}
