package brig.workeragent.sandbox;

import brig.protocol.spawn.TerminalSize;
import brig.workeragent.limits.ResourceLimits;
import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Converts a profile to bwrap's options, and a command to the arguments of process 1.
 *
 * <p>Decision 0015.
 */
final class BubblewrapCommand {

    /** The path of brig-init in the wall. */
    private static final String INIT = "/run/brig-init";
    /** The file that process 1 finds over hidden files, if there are any. */
    private static final String BLANK = "/run/brig-blank";

    /** The folder of brig-shim's socket in the wall. */
    private static final String SHELL = "/run/brig/shell";

    private static final List<String> SHELLS = List.of("bash", "dash", "ksh", "sh", "zsh");

    /** Size of {@code /dev/shm}. */
    static final long SHARED_MEMORY_BYTES = 64L * 1024 * 1024;

    private final WallTemplate template;
    private final Path root;
    private final LauncherConfig config;
    private final RootMounts rootMounts;

    /** @param root the host's root folder; another one in tests */
    BubblewrapCommand(WallTemplate template, Path root, LauncherConfig config) {
        this.template = template;
        this.root = root;
        this.config = config;
        this.rootMounts = new RootMounts(root);
    }

    List<String> options(WallProfile profile) throws SandboxException {
        var options = new ArrayList<String>();
        addNamespaces(options, profile);
        rootMounts.add(options, profile);
        addEtc(options, profile);
        addOwnMounts(options, profile);
        Path blank = template.blank();
        if (profile.mounts().stream().anyMatch(mount -> mount.source().equals(blank))) {
            add(options, "--ro-bind", blank.toString(), BLANK);
        }
        for (WallProfile.Mount mount : profile.mounts()) {
            add(
                    options,
                    mount.readOnly() ? "--ro-bind" : "--bind",
                    mount.source().toString(),
                    mount.target().toString());
        }
        if (profile.shells() != null) addShells(options, profile.shells());
        SecondKernel kernel = profile.secondKernel();
        if (kernel != null) options.addAll(kernel.options(template, config));
        // After all other mounts: only what was mounted writable above is writable, so /etc and the folders between are
        // not.
        add(options, "--remount-ro", "/dev", "--remount-ro", "/");
        new TreeMap<>(profile.environment()).forEach((name, value) -> add(options, "--setenv", name, value));
        var shells = profile.shells();
        add(
                options,
                "--chdir",
                shells == null ? WallProfile.WORKSPACE : shells.directory().toString());
        return options;
    }

    /** All of the wall's own are mounted first: one may be a link to another that is covered then. */
    private void addShells(List<String> options, WallProfile.Shells shells) throws SandboxException {
        var covered = new TreeSet<String>();
        for (String name : SHELLS) {
            for (String folder : List.of("usr/bin", "bin")) {
                Path program = root.resolve(folder).resolve(name);
                if (!Files.isExecutable(program)) continue;
                Path real = realPath(program);
                if (covered.add(real.toString()) || folder.equals("usr/bin")) {
                    add(
                            options,
                            "--ro-bind",
                            real.toString(),
                            shells.local().resolve(name).toString());
                }
            }
        }
        for (String program : covered) add(options, "--ro-bind", template.shim().toString(), program);
        add(options, "--ro-bind", shells.place().toString(), SHELL);
    }

    private static Path realPath(Path program) throws SandboxException {
        try {
            return program.toRealPath();
        } catch (IOException gone) {
            throw new SandboxException(Code.SANDBOX_UNAVAILABLE, "cannot find the shell " + program);
        }
    }

    private static void addNamespaces(List<String> options, WallProfile profile) {
        String inside = Integer.toString(WallProfile.INSIDE_UID);
        add(options, "--unshare-all", "--unshare-user");
        if (!profile.nested() && !profile.hasSecondKernel()) add(options, "--disable-userns");
        add(
                options,
                "--die-with-parent",
                "--new-session",
                "--as-pid-1",
                "--uid",
                inside,
                "--gid",
                inside,
                "--hostname",
                profile.hostname(),
                "--cap-drop",
                "ALL",
                "--clearenv");
    }

    private void addEtc(List<String> options, WallProfile profile) throws SandboxException {
        for (String folder : List.of("/home", "/run")) add(options, "--perms", "0755", "--dir", folder);
        WallProfile.Image image = profile.image();
        WallTemplate.Etc etc = template.etc(profile.network(), image == null ? null : image.folder());
        RootMounts.requirePlaces(profile, etc.covers().keySet());
        add(
                options,
                profile.layer() == null ? "--ro-bind" : "--bind",
                etc.folder().toString(),
                "/etc");
        etc.covers().forEach((target, source) -> add(options, "--ro-bind", source.toString(), target.toString()));
        add(options, "--ro-bind", template.init().toString(), INIT);
    }

    private static void addOwnMounts(List<String> options, WallProfile profile) {
        add(options, "--proc", "/proc");
        // In case a wall is mistakenly built as root. With a part of /proc covered the kernel permits no other mount of
        // /proc, which a nested sandbox needs first.
        if (!profile.nested() && !profile.hasSecondKernel()) add(options, "--ro-bind", "/proc/sys", "/proc/sys");
        add(options, "--dev", "/dev");
        // bwrap's /dev is an unlimited tmpfs; a worker can write only to its shared memory.
        add(options, "--perms", "1777", "--size", Long.toString(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm");
        add(options, "--perms", "1777", "--size", Long.toString(profile.tmpBytesMax()), "--tmpfs", "/tmp");
        add(options, "--perms", "0700", "--size", Long.toString(profile.homeBytesMax()), "--tmpfs", WallProfile.HOME);
        add(
                options,
                profile.workspaceReadOnly() ? "--ro-bind" : "--bind",
                profile.workspace().toString(),
                WallProfile.WORKSPACE);
    }

    /** The program that becomes bwrap, with its arguments; nothing if bwrap is started itself. */
    List<String> before(WallProfile profile) {
        WallProfile.Image image = profile.image();
        return image == null || image.layer() == null
                ? List.of()
                : List.of(
                        template.program("brig-overlay").toString(),
                        image.folder().toString(),
                        image.layer().upper().toString(),
                        image.layer().work().toString());
    }

    /**
     * The arguments of process 1.
     *
     * @param declared    the properties that it confirms before it starts the command
     * @param memoryGroup whether a group limits memory. If not, RLIMIT_DATA does. It is not used with a group, as it
     *     counts reservations, and runtimes reserve more than they use.
     */
    static List<String> payload(LaunchRequest request, boolean memoryGroup, DeclaredPosture.Declared declared)
            throws SandboxException {
        var words = new ArrayList<String>();
        SecondKernel kernel = request.profile().secondKernel();
        if (kernel != null) {
            int processes = kernel.around(request.limits()).pidsMax();
            add(words, INIT, "--nproc", Integer.toString(processes + 1), "--kernel", "starts");
            addCommand(words, declared.wall(), kernel.start(request.profile(), request.limits()));
            add(words, INIT, "--kernel", kernel.word());
        } else {
            words.add(INIT);
        }
        addLimits(words, request.limits());
        if (!memoryGroup && kernel == null) {
            add(words, "--data", Long.toString(request.limits().memoryBytesMax()));
        }
        TerminalSize tty = request.tty();
        if (tty != null) add(words, "--tty", tty.cols() + "x" + tty.rows());
        addCommand(words, kernel == null ? declared.wall() : declared.secondKernel(), request.command());
        return words;
    }

    private static void addLimits(List<String> words, ResourceLimits limits) {
        add(
                words,
                "--nproc",
                Integer.toString(limits.pidsMax() + 1),
                "--fsize",
                Long.toString(limits.fileBytesMax()),
                "--nofile",
                Integer.toString(limits.openFilesMax()));
    }

    private static void addCommand(List<String> words, List<String> declared, List<String> command) {
        declared.forEach(property -> add(words, "--property", property));
        words.add("--");
        words.addAll(command);
    }

    private static void add(List<String> options, String... words) {
        options.addAll(List.of(words));
    }
}
