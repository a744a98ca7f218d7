package brig.gateway.e2e.provider;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * What a provider of sandboxes rents out, as a real wall of bubblewrap: namespaces of its own with nothing but a loopback
 * interface, an ordinary user with a home folder, the programs of this machine. A wall of Brig can be built inside.
 *
 * <p>Commands enter it by {@code nsenter}. Its first process reads from a pipe of this JVM, so nothing is left when that
 * ends, however it does.
 */
public final class FakeSandbox implements AutoCloseable {
    /** Of the user in the wall, as this machine sees it where the tests run as root. */
    private static final int UID = 4742;

    private static final int UID_INSIDE = 1000;
    private static final long WAKE_MS = 100;
    private static final boolean IS_ROOT = "root".equals(System.getProperty("user.name"));
    private static final List<String> LINKED = List.of("bin", "sbin", "lib", "lib32", "lib64", "libx32");
    private static final List<String> DEVICES = List.of("null", "zero", "full", "random", "urandom", "tty");
    /** bwrap has its information on file descriptor 3; a shell in between outlives the thread that starts it. */
    private static final String OUTER = "bwrap --info-fd 3 \"$@\" 3>&1; :";

    private static final String INNER = "echo ready; exec cat >/dev/null";
    private static final String IN_FOLDER = "cd -- \"$1\" && shift && exec \"$@\"";
    private static final String WRITES =
            "mkdir -p \"$(dirname -- \"$1\")\" && cat >\"$1.part\" && chmod \"$2\" \"$1.part\" && mv -f \"$1.part\" \"$1\"";
    /** Says that it is connected, then copies both ways, each to its own end. */
    private static final String DIALS = """
            use IO::Socket::INET;
            $SIG{PIPE} = 'IGNORE';
            my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $ARGV[0]) or exit 7;
            syswrite STDOUT, '+';
            sub copy {
                my ($from, $to) = @_;
                while (my $n = sysread $from, my $bytes, 65536) {
                    for (my $at = 0; $at < $n;) { $at += syswrite($to, $bytes, $n - $at, $at) // return }
                }
            }
            if (!fork) { close STDOUT; copy(*STDIN, $s); shutdown $s, 1; exit }
            copy($s, *STDOUT);
            close STDOUT;
            wait;
            """;

    private static final class Possible {
        /** Why there can be no such wall on this machine, if so. */
        static final Optional<String> WHY_NOT = trial();

        private static Optional<String> trial() {
            try (FakeSandbox sandbox = start("trial")) {
                Process nested = sandbox.exec(
                        List.of(
                                "bwrap",
                                "--ro-bind",
                                "/",
                                "/",
                                "--unshare-all",
                                "--proc",
                                "/proc",
                                "--dev",
                                "/dev",
                                "perl",
                                "-e",
                                "exit 3"),
                        sandbox.environment(),
                        sandbox.home());
                String said = new String(nested.getErrorStream().readAllBytes(), UTF_8);
                return nested.waitFor() == 3 ? Optional.empty() : Optional.of("no wall within a wall: " + said.strip());
            } catch (IOException e) {
                return Optional.of("no wall by bubblewrap: " + e.getMessage());
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /**
     * What a sandbox is made of, besides the programs of this machine.
     *
     * @param user whose home folder it has
     * @param folders of this machine, by where they are inside; they cannot be written there
     */
    public record Image(String user, Map<String, Path> folders) {}

    private final Image image;
    private final Path folder;
    private final Process process;
    private final long pid;
    private final Set<Process> commands = ConcurrentHashMap.newKeySet();

    private FakeSandbox(Image image, Path folder, Process process, long pid) {
        this.image = image;
        this.folder = folder;
        this.process = process;
        this.pid = pid;
    }

    /** Why this machine can have no such sandbox; empty where it can. */
    public static Optional<String> whyNot() {
        return Possible.WHY_NOT;
    }

    public static FakeSandbox start(String user) throws IOException {
        return start(new Image(user, Map.of()));
    }

    static FakeSandbox start(Image image) throws IOException {
        Path folder = Files.createTempDirectory("brig-sandbox-");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Path home = Files.createDirectory(folder.resolve("home"));
        if (IS_ROOT) {
            Files.setAttribute(home, "unix:uid", UID);
        }
        return start(image, folder);
    }

    private static FakeSandbox start(Image image, Path folder) throws IOException {
        List<String> command = asUser();
        command.addAll(List.of("sh", "-c", OUTER, "sh"));
        command.addAll(options(image, folder));
        command.addAll(List.of("--", "sh", "-c", INNER));
        Path said = folder.resolve("said");
        Process process =
                new ProcessBuilder(command).redirectError(said.toFile()).start();
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        long pid = 0;
        for (String line = out.readLine(); !"ready".equals(line); line = out.readLine()) {
            if (line == null) {
                process.destroyForcibly();
                String why = Files.readString(said).strip();
                remove(folder);
                throw new IOException("bwrap: " + why);
            }
            if (line.contains("\"child-pid\"")) {
                pid = Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return new FakeSandbox(image, folder, process, pid);
    }

    private static List<String> asUser() {
        return new ArrayList<>(
                IS_ROOT
                        ? List.of("setpriv", "--reuid", "" + UID, "--regid", "" + UID, "--clear-groups", "--")
                        : List.of());
    }

    private static List<String> options(Image image, Path folder) throws IOException {
        String user = image.user();
        String home = "/home/" + user;
        Path passwd = folder.resolve("passwd");
        Path group = folder.resolve("group");
        Files.writeString(passwd, user + ":x:" + UID_INSIDE + ":" + UID_INSIDE + "::" + home + ":/bin/bash\n");
        Files.writeString(group, user + ":x:" + UID_INSIDE + ":\n");
        List<String> options = new ArrayList<>(List.of("--die-with-parent", "--new-session", "--clearenv"));
        options.addAll(List.of("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"));
        options.addAll(List.of("--uid", "" + UID_INSIDE, "--gid", "" + UID_INSIDE, "--hostname", user));
        options.addAll(List.of("--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc"));
        options.addAll(
                List.of("--ro-bind", passwd.toString(), "/etc/passwd", "--ro-bind", group.toString(), "/etc/group"));
        for (String name : LINKED) {
            if (Files.isDirectory(Path.of("/usr", name))) {
                options.addAll(List.of("--symlink", "usr/" + name, "/" + name));
            }
        }
        // No part of /proc may be covered, nor bubblewrap's own /dev be used, which needs a second namespace of users:
        // then nobody could enter, and there could be no wall within.
        options.addAll(List.of("--proc", "/proc", "--tmpfs", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm"));
        for (String name : DEVICES) {
            options.addAll(List.of("--dev-bind", "/dev/" + name, "/dev/" + name));
        }
        options.addAll(List.of("--symlink", "/proc/self/fd", "/dev/fd"));
        options.addAll(List.of("--perms", "1777", "--tmpfs", "/tmp", "--dir", "/var/tmp", "--tmpfs", "/run"));
        options.addAll(List.of("--bind", folder.resolve("home").toString(), home, "--chdir", home));
        image.folders().forEach((there, here) -> options.addAll(List.of("--ro-bind", here.toString(), there)));
        return options;
    }

    public String home() {
        return "/home/" + image.user();
    }

    /** Its home folder as this machine sees it. */
    public Path homeHere() {
        return folder.resolve("home");
    }

    /** The host's number of its first process. */
    public long pid() {
        return pid;
    }

    /** What a command finds that is given nothing else. */
    public Map<String, String> environment() {
        return Map.of(
                "HOME",
                home(),
                "USER",
                image.user(),
                "LOGNAME",
                image.user(),
                "SHELL",
                "/bin/bash",
                "LANG",
                "C.UTF-8",
                "PATH",
                "/usr/bin:/bin");
    }

    /** Starts a command inside. What it leaves running stays, with the sandbox itself. */
    public Process exec(List<String> command, Map<String, String> environment, String directory) throws IOException {
        List<String> words = asUser();
        words.addAll(
                List.of("nsenter", "-t", "" + pid, "-U", "--preserve-credentials", "-m", "-u", "-i", "-n", "-p", "-w"));
        words.addAll(List.of("--", "env", "-i"));
        environment.forEach((name, value) -> words.add(name + "=" + value));
        words.addAll(List.of("sh", "-c", IN_FOLDER, "sh", directory));
        words.addAll(command);
        Process process = new ProcessBuilder(words).start();
        commands.add(process);
        process.onExit().thenAccept(commands::remove);
        return process;
    }

    /** Ends a command and all that it started and did not leave behind. */
    static void end(Process command) {
        command.descendants().forEach(ProcessHandle::destroyForcibly);
        command.destroyForcibly();
    }

    /**
     * Connects to a port inside. What is written to the process goes there, what it writes comes from there, and each
     * direction ends by itself.
     *
     * @throws IOException if nobody listens there
     */
    public Process dial(int port) throws IOException {
        Process process = exec(List.of("perl", "-e", DIALS, "" + port), environment(), "/");
        if (process.getInputStream().read() != '+') {
            end(process);
            throw new IOException("connection refused");
        }
        return process;
    }

    /** Makes a file inside, with the folders above it. @return whether that was possible */
    public boolean write(String path, String mode, InputStream content) throws IOException {
        Process process = exec(List.of("sh", "-c", WRITES, "sh", path, mode), environment(), home());
        try (OutputStream to = process.getOutputStream()) {
            content.transferTo(to);
        } catch (IOException e) {
            return false;
        } finally {
            process.getErrorStream().readAllBytes();
        }
        return exitOf(process) == 0;
    }

    /** Sends all processes inside that signal. */
    public void signal(String name) throws IOException {
        exitOf(exec(List.of("sh", "-c", "kill -" + name + " -1"), environment(), "/"));
        if (name.equals("CONT")) {
            wake();
        }
    }

    static int exitOf(Process process) {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Copies its files to that folder of this machine. */
    void saveTo(Path copy) throws IOException {
        copy(homeHere(), copy);
    }

    /** Ends it, and begins another with the files that were saved there. */
    FakeSandbox restoredFrom(Path copy) throws IOException {
        end();
        run("rm", "-rf", homeHere().toString());
        copy(copy, homeHere());
        return start(image, folder);
    }

    private static void copy(Path from, Path to) throws IOException {
        run("cp", "-a", from.toString(), to.toString());
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (exitOf(process) != 0) {
            throw new IOException(said);
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** nsenter stops with its command, but does not go on with it; stopped, it would keep the namespace for ever. */
    private void wake() throws IOException {
        List<String> words = new ArrayList<>(List.of("kill", "-CONT"));
        commands.forEach(command -> words.add("" + command.pid()));
        if (words.size() > 2) {
            exitOf(new ProcessBuilder(words).redirectErrorStream(true).start());
        }
    }

    /** Ends all of its processes, at once. */
    private void end() throws IOException {
        Optional<ProcessHandle> first = ProcessHandle.of(pid);
        first.ifPresent(ProcessHandle::destroyForcibly);
        try {
            do {
                wake();
            } while (!process.waitFor(WAKE_MS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        first.ifPresent(handle -> handle.onExit().join());
    }

    @Override
    public void close() throws IOException {
        end();
        remove(folder);
    }

    static void remove(Path folder) throws IOException {
        run("rm", "-rf", folder.toString());
    }
}
