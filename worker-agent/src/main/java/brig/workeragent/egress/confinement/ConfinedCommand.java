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
 * The command that starts a JVM with nothing in sight but itself: bubblewrap makes a root of read-only mounts with the
 * libraries of the host, the JDK and the class path, a PID namespace and an empty environment, and takes all capabilities
 * away. The network stays the host's.
 *
 * <p>Started by root, bubblewrap mounts as root, so that an installation that only root can get to is seen too, and
 * setpriv then becomes another user for good. Started by anybody else, bubblewrap needs a user namespace to mount.
 *
 * <p>Process 1 of the namespace is bubblewrap's own. It dies with bubblewrap's process outside, and takes the JVM along; the
 * JVM in its place would go on, for it is of a user that the process outside may send no signal.
 *
 * <p>Decision 0116.
 *
 * @param program what to start
 * @param identity whom it runs as
 */
public record ConfinedCommand(Program program, WorkerIdentity identity) {
    /**
     * A JVM.
     *
     * @param options of the JVM
     * @param classPath absolute
     * @param archive a start-up archive of that class path; null where there is none
     * @param filterLibrary what {@link SystemCallFilter} loads
     */
    public record Program(
            Path javaHome,
            List<String> options,
            List<Path> classPath,
            @Nullable Path archive,
            Path filterLibrary) {
        /** Whether a part of it is in that folder, which it then sees for that part's sake. */
        public boolean liesIn(Path folder) {
            return javaHome.startsWith(folder) || classPath.stream().anyMatch(entry -> entry.startsWith(folder));
        }
    }

    private static final Path NAMES = Path.of("/run/brig/etc");
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
    /** A link into /usr on a merged host, a folder of its own elsewhere. */
    private static final List<String> LIBRARIES = List.of("lib", "lib32", "lib64", "libx32");

    private static final int LINKS_DEPTH = 3;
    /** For what Netty unpacks to load it, and nothing else. */
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
        // First, for what is seen may lie in /tmp.
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
            // One that does not fit is done without, and without a word.
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
            // What setpriv takes to give up the rest.
            add(words, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP");
        } else {
            words.add("--unshare-user");
        }
    }

    /** What of the host is seen, read-only, by where. */
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
        // A class path may name what is not there.
        mounts.values().removeIf(source -> !Files.exists(source));
        mounts.put(ConfinedPaths.LIBRARY, program.filterLibrary());
        mounts.put(ConfinedPaths.SOCKET, socket);
        mounts.put(NAMES, names.folder());
        return mounts;
    }

    /** Distributions keep a JDK's settings and its list of authorities below /etc. */
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
        // bubblewrap would make them for itself alone.
        folders.forEach(folder -> add(words, "--perms", "0755", "--dir", folder.toString()));
        words.addAll(binds);
    }

    private static void add(List<String> words, String... more) {
        words.addAll(List.of(more));
    }
}
