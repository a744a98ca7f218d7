package brig.workeragent.egress.confinement;

import brig.egress.confinement.ConfinedPaths;
import brig.egress.confinement.SystemCallFilter;
import brig.workeragent.sandbox.LauncherConfig;
import brig.workeragent.sandbox.WorkerIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The command that starts a confined JVM. bubblewrap builds a root of read-only mounts with the host's libraries, the
 * JDK and the class path, a PID namespace and an empty environment, and drops all capabilities. The network stays the
 * host's.
 *
 * <p>As root, bubblewrap mounts as root, so that an installation that only root can access is visible; setpriv then
 * changes the user permanently. For other users, bubblewrap needs a user namespace to mount.
 *
 * <p>Process 1 of the namespace is bubblewrap's own. It dies with bubblewrap's outer process and takes the JVM along. A
 * JVM as process 1 would survive: the outer process may not signal another user's process.
 *
 * <p>Decision 0116.
 *
 * @param program the program to start
 * @param identity the user that it runs as
 */
public record ConfinedCommand(Program program, WorkerIdentity identity) {
    /**
     * A JVM.
     *
     * @param options the JVM's options
     * @param classPath absolute paths
     * @param archive a start-up archive of that class path; null if there is none
     * @param filterLibrary the library that {@link SystemCallFilter} loads
     */
    public record Program(
            Path javaHome,
            List<String> options,
            List<Path> classPath,
            @Nullable Path archive,
            Path filterLibrary) {
        /** Whether a part of it is in that folder, so that the folder is visible for that part. */
        public boolean liesIn(Path folder) {
            return javaHome.startsWith(folder) || classPath.stream().anyMatch(entry -> entry.startsWith(folder));
        }
    }

    private static final Path NAMES = Path.of("/run/brig/etc");
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
    /** Links into /usr on a merged host, separate folders elsewhere. */
    private static final List<String> LIBRARIES = List.of("lib", "lib32", "lib64", "libx32");

    private static final int LINKS_DEPTH = 3;
    /** Only for the library that Netty unpacks. */
    private static final long TMP_BYTES_MAX = 16L * 1024 * 1024;

    /**
     * The words of the command.
     *
     * @throws IOException naming what is missing, and the mend
     */
    public List<String> words(Path socket, NameFiles names, String mainClass) throws IOException {
        List<String> words = new ArrayList<>();
        require(LauncherConfig.BWRAP, "apt-get install bubblewrap");
        addNamespaces(words);
        // First, as mounts may lie below /tmp.
        add(
                words,
                "--proc",
                "/proc",
                "--dev",
                "/dev",
                "--perms",
                "1777",
                "--size",
                Long.toString(TMP_BYTES_MAX),
                "--tmpfs",
                "/tmp");
        for (String name : LIBRARIES) {
            Path link = Path.of("/", name);
            if (Files.isSymbolicLink(link)) {
                add(words, "--symlink", Files.readSymbolicLink(link).toString(), link.toString());
            }
        }
        addMounts(words, mounts(socket, names));
        for (String name : NameFiles.NAMES) {
            add(words, "--symlink", NAMES.resolve(name).toString(), "/etc/" + name);
        }
        add(words, "--remount-ro", "/", "--chdir", "/", "--");
        if (identity.switched()) {
            require(SETPRIV, "apt-get install util-linux");
            String id = Integer.toString(identity.uid());
            add(
                    words,
                    SETPRIV.toString(),
                    "--reuid",
                    id,
                    "--regid",
                    id,
                    "--clear-groups",
                    "--inh-caps=-all",
                    "--ambient-caps=-all",
                    "--bounding-set=-all",
                    "--no-new-privs",
                    "--");
        }
        words.add(program.javaHome().resolve("bin/java").toString());
        words.addAll(program.options());
        if (program.archive() != null) {
            // An archive that does not match is silently ignored.
            add(words, "-XX:AOTCache=" + program.archive(), "-Xlog:aot=off", "-Xlog:cds=off");
        }
        add(
                words,
                "-cp",
                String.join(
                        ":", program.classPath().stream().map(Path::toString).toList()),
                mainClass);
        return words;
    }

    private static void require(Path file, String mend) throws IOException {
        if (!Files.isExecutable(file)) {
            throw new IOException(file + ", which confines it, is missing; " + mend);
        }
    }

    private void addNamespaces(List<String> words) {
        add(
                words,
                LauncherConfig.BWRAP.toString(),
                "--unshare-pid",
                "--unshare-ipc",
                "--unshare-uts",
                "--unshare-cgroup-try",
                "--die-with-parent",
                "--new-session",
                "--clearenv",
                "--setenv",
                "LC_ALL",
                "C.UTF-8",
                "--cap-drop",
                "ALL");
        if (identity.switched()) {
            // The capabilities that setpriv needs to drop the others.
            add(words, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP");
        } else {
            words.add("--unshare-user");
        }
    }

    /** The host paths that are mounted read-only, by their place. */
    private Map<Path, Path> mounts(Path socket, NameFiles names) throws IOException {
        Map<Path, Path> mounts = new TreeMap<>();
        for (String name : LIBRARIES) {
            for (Path folder : List.of(Path.of("/usr", name), Path.of("/", name))) {
                if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                    mounts.put(folder, folder);
                }
            }
        }
        if (identity.switched()) {
            mounts.put(SETPRIV, SETPRIV);
        }
        mounts.put(program.javaHome(), program.javaHome());
        program.classPath().forEach(entry -> mounts.put(entry, entry));
        if (program.archive() != null) {
            mounts.put(program.archive(), program.archive());
        }
        linksOutOf(program.javaHome()).forEach(target -> mounts.put(target, target));
        // A class path may name missing files.
        mounts.values().removeIf(source -> !Files.exists(source));
        mounts.put(ConfinedPaths.LIBRARY, program.filterLibrary());
        mounts.put(ConfinedPaths.SOCKET, socket);
        mounts.put(NAMES, names.folder());
        return mounts;
    }

    /** Distributions keep a JDK's settings and its trust store below /etc. */
    private static List<Path> linksOutOf(Path javaHome) throws IOException {
        List<Path> targets = new ArrayList<>();
        for (String part : List.of("conf", "lib")) {
            try (Stream<Path> all = Files.walk(javaHome.resolve(part), LINKS_DEPTH)) {
                for (Path link : all.filter(Files::isSymbolicLink).toList()) {
                    Path target =
                            link.resolveSibling(Files.readSymbolicLink(link)).normalize();
                    if (!target.startsWith(javaHome)) {
                        targets.add(target);
                    }
                }
            }
        }
        return targets;
    }

    private static void addMounts(List<String> words, Map<Path, Path> mounts) {
        List<Path> seen = new ArrayList<>();
        TreeSet<Path> folders = new TreeSet<>();
        folders.add(Path.of("/etc"));
        List<String> binds = new ArrayList<>();
        mounts.forEach((target, source) -> {
            if (seen.stream().anyMatch(target::startsWith)) {
                return;
            }
            seen.add(target);
            add(binds, "--ro-bind", source.toString(), target.toString());
            for (Path above = target.getParent();
                    above != null && above.getNameCount() > 0;
                    above = above.getParent()) {
                folders.add(above);
            }
        });
        // bubblewrap would create them for its own user only.
        folders.forEach(folder -> add(words, "--perms", "0755", "--dir", folder.toString()));
        words.addAll(binds);
    }

    private static void add(List<String> words, String... more) {
        words.addAll(List.of(more));
    }
}
