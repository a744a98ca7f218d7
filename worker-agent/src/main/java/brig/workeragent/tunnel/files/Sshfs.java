package brig.workeragent.tunnel.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The programs of a mount: sshfs and fusermount3, which are packages of their own, and the way to the far side. */
final class Sshfs {
    private static final List<Path> FOLDERS = List.of(Path.of("/usr/bin"), Path.of("/usr/local/bin"), Path.of("/bin"));
    private static final int UNMOUNT_MS = 3000;
    private static final int SAID_CHARS_MAX = 400;
    private static final int GRACE_MS = 1000;
    private static final Logger LOG = LoggerFactory.getLogger(Sshfs.class);

    private final WorkersUser user;
    private final List<Path> programs;

    Sshfs(WorkersUser user) {
        this(user, FOLDERS);
    }

    /** @param programs the folders that may have them */
    Sshfs(WorkersUser user, List<Path> programs) {
        this.user = user;
        this.programs = programs;
    }

    /** @throws BrigException {@code SANDBOX_UNAVAILABLE} if a program is missing */
    void check() {
        if (program("sshfs") == null || program("fusermount3") == null) {
            throw new BrigException(
                    ErrorCode.SANDBOX_UNAVAILABLE,
                    "sshfs is not installed on this host, so no folder of another one can be mounted; on Debian and"
                            + " Ubuntu: apt install sshfs");
        }
    }

    private @Nullable Path program(String name) {
        return programs.stream()
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    /** Lets the workers' user through, who is not the owner. */
    void open(Path base) throws IOException {
        if (user.switched()) {
            Files.setAttribute(base, "unix:gid", user.uid());
            Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwx--x---"));
        }
    }

    /**
     * Starts sshfs, whose standard input and output are SFTP. It keeps nothing of files itself, as nobody can tell it
     * that a command on the far side has changed them. Newer versions hide what a link says that leads out; here the
     * wall contains links.
     */
    Process start(String root, Path point) {
        List<String> options = new ArrayList<>(List.of(
                "passive",
                "dir_cache=no",
                "entry_timeout=0",
                "attr_timeout=0",
                "negative_timeout=0",
                "max_read=65536",
                "max_write=65536",
                "nosuid",
                "nodev",
                "fsname=brig",
                "uid=" + user.uid(),
                "gid=" + (user.switched() ? user.uid() : ownGroup())));
        if (hasOption("no_contain_symlinks")) {
            options.add("no_contain_symlinks");
        }
        if (user.switched()) {
            options.add("allow_other");
        }
        ProcessBuilder builder = new ProcessBuilder(
                        String.valueOf(program("sshfs")),
                        "-f",
                        "-o",
                        String.join(",", options),
                        ":" + root,
                        "--",
                        point.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/usr/local/bin:/bin");
        builder.environment().put("LANG", "C.UTF-8");
        return started(builder);
    }

    private boolean hasOption(String name) {
        try {
            Process help = new ProcessBuilder(String.valueOf(program("sshfs")), "--help")
                    .redirectErrorStream(true)
                    .start();
            return new String(help.getInputStream().readAllBytes(), UTF_8).contains("-o " + name);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.SANDBOX_UNAVAILABLE, "sshfs cannot be started: " + Reason.of(e));
        }
    }

    private static int ownGroup() {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:gid");
        } catch (IOException e) {
            throw new BrigException(ErrorCode.SANDBOX_UNAVAILABLE, "/proc cannot be read: " + Reason.of(e));
        }
    }

    /** @param now whether it is taken away although it is in use; what uses it gets errors */
    void unmount(Path point, boolean now) {
        List<String> command = new ArrayList<>(List.of(String.valueOf(program("fusermount3")), "-u", "-q"));
        if (now) {
            command.add("-z");
        }
        command.addAll(List.of("--", point.toString()));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(UNMOUNT_MS, TimeUnit.MILLISECONDS)) {
                process.toHandle().destroyForcibly();
                LOG.warn("{} is not unmounted in time", point);
            }
        } catch (IOException e) {
            LOG.warn("{} is not unmounted: {}", point, Reason.of(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The way to the far side. */
    static final class FarServer {
        private final Process process;
        /** The beginning of what it says on standard error. */
        private volatile String text = "";

        private FarServer(Process process) {
            this.process = process;
        }

        Process process() {
            return process;
        }

        /** What it says, for a person; empty if it says nothing. */
        String said() {
            String clean = text.replaceAll("\\p{Cntrl}+", " ").strip();
            return clean.isEmpty() ? "" : " (" + clean + ")";
        }

        /** It has seen the end of its pipe; one that does not care is killed. */
        void end() {
            Thread.ofVirtual().start(() -> {
                try {
                    if (!process.waitFor(GRACE_MS, TimeUnit.MILLISECONDS)) {
                        process.toHandle().destroyForcibly();
                    }
                } catch (InterruptedException e) {
                    process.toHandle().destroyForcibly();
                }
            });
        }

        /** All of it is read, so that it never waits for its reader. */
        private void listen() {
            byte[] some = new byte[SAID_CHARS_MAX];
            try (InputStream from = process.getErrorStream()) {
                for (int length = from.read(some); length >= 0; length = from.read(some)) {
                    String all = text + new String(some, 0, length, UTF_8);
                    text = all.substring(0, Math.min(all.length(), SAID_CHARS_MAX));
                }
            } catch (IOException closed) {
                LOG.debug("the way to another host is closed: {}", Reason.of(closed));
            }
        }
    }

    static FarServer start(List<String> command) {
        FarServer server = new FarServer(started(new ProcessBuilder(command)));
        Thread.ofVirtual().start(server::listen);
        return server;
    }

    private static Process started(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException e) {
            throw new BrigException(ErrorCode.SANDBOX_UNAVAILABLE, "cannot be started: " + Reason.of(e));
        }
    }
}
