package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.workeragent.TestFolders;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A host that ssh reaches, on this machine: Debian's sshd with its stock limits, as an ordinary user, who has a home, a /tmp, a list of
 * users and processes of its own in namespaces. The network is that of this machine, or lies behind a cable that can be pulled. Daemons
 * there outlive their ssh session, as on any host; closing ends all of it, and so does the end of this JVM. Decision 0163.
 */
final class SshHost implements AutoCloseable {
    private static final Path PACKAGES =
            Path.of(System.getProperty("brig.ssh", "none")).toAbsolutePath();
    private static final String INIT = Path.of(System.getProperty("brig.tests", "src/e2e"), "sh/ssh-host")
            .toAbsolutePath()
            .toString();
    /** No program takes the port while sshd is stopped: each host has an address of its own. */
    private static final int PORT = 2222;

    private static final AtomicInteger USERS = new AtomicInteger(20_000);

    private final String name;
    private final @Nullable Cable cable;
    private final String address;
    private final Path folder = Files.createTempDirectory("brig-ssh-");
    private final SshConfig config;
    private final Thread atExit = new Thread(this::abandon);
    private final int uid;
    private final int gid;
    private final List<String> asUser;
    private Process init;
    private BufferedReader answers;
    private long starts;

    private SshHost(String name, @Nullable Cable cable) throws IOException {
        this.name = name;
        this.cable = cable;
        ThreadLocalRandom random = ThreadLocalRandom.current();
        address = cable == null
                ? "127.%d.%d.%d".formatted(random.nextInt(1, 255), random.nextInt(256), random.nextInt(1, 255))
                : cable.far();
        Runtime.getRuntime().addShutdownHook(atExit);
        uid = Product.isRoot() ? USERS.incrementAndGet() : (int) Files.getAttribute(folder, "unix:uid");
        gid = Product.isRoot() ? uid : (int) Files.getAttribute(folder, "unix:gid");
        asUser = Product.isRoot()
                ? List.of("setpriv", "--reuid=" + uid, "--regid=" + gid, "--clear-groups", "--")
                : List.of("unshare", "--user", "--map-user=" + uid, "--map-group=" + gid, "--");
        Path sshd = folder("host/sshd", "rwxr-xr-x");
        Path keys = folder("host/home/.ssh", "rwx------");
        folder("host/tmp", "rwxrwxrwx");
        config = new SshConfig(folder("client", "rwx------"), name);
        SshConfig.makeKey(sshd.resolve("key"));
        config.trust(Files.readString(sshd.resolve("key.pub")));
        config.leadTo(address, PORT);
        Path authorized = Files.copy(config.publicKey(), keys.resolve("authorized_keys"));
        write(
                "passwd",
                "root:x:0:0:root:/root:/bin/bash",
                "%1$s:x:%2$d:%3$d:%1$s:/home/%1$s:/bin/bash".formatted(name, uid, gid));
        write("group", "root:x:0:", name + ":x:" + gid + ":");
        write("sshd.log");
        for (Path mine : List.of(home(), keys, authorized, sshd.resolve("key"), log())) {
            give(mine);
        }
        writeSettings();
    }

    /** Starts one whose user has its name too. Where this machine lacks what that takes, the test is skipped, and says why. */
    static SshHost start(String name) throws IOException {
        return start(name, null);
    }

    /** The same behind a network cable of its own, which {@link #plug} pulls. */
    static SshHost startBehindCable(String name) throws IOException {
        require(Product.isRoot(), "root, who lays the cable");
        require(
                Stream.of("/usr/sbin/ip", "/usr/bin/ip", "/sbin/ip")
                        .anyMatch(file -> Files.isExecutable(Path.of(file))),
                "ip (apt-get install iproute2)");
        return start(name, new Cable());
    }

    private static SshHost start(String name, @Nullable Cable cable) throws IOException {
        require(Files.isExecutable(PACKAGES.resolve("usr/sbin/sshd")), "sshd (apt-get download openssh-server)");
        requireSsh();
        SshHost host = new SshHost(name, cable);
        try {
            List<String> nothing = host.inNamespaces("true");
            require(Run.of(nothing, "", host.folder).exitCode() == 0, "namespaces (" + String.join(" ", nothing) + ")");
            host.boot();
            return host;
        } catch (IOException | RuntimeException | AssertionError e) {
            host.close();
            throw e;
        }
    }

    static void requireSsh() {
        require(Files.isExecutable(Path.of("/usr/bin/ssh")), "ssh (apt-get install openssh-client)");
    }

    /** What tunnels need. */
    static void requireSshfs() {
        require(Files.isExecutable(Path.of("/usr/bin/sshfs")), "sshfs (apt-get install sshfs)");
    }

    private static void require(boolean here, String what) {
        if (!here) {
            System.err.println("SKIPPED: remote hosts are not tested, for want of " + what);
        }
        Assumptions.assumeTrue(here, () -> what + " is not here");
    }

    /** Adds it to a gateway as a person would, under its own name. */
    Run addTo(Product product, String... options) throws IOException {
        List<String> words = new ArrayList<>(List.of("host", "add", name, name));
        words.addAll(List.of(options));
        words.addAll(List.of("--", "-F", config.file().toString()));
        Run added = product.brig(words.toArray(String[]::new));
        assertEquals(0, added.exitCode(), added::err);
        return added;
    }

    /** Runs that in the home of its user, whose shells are quick to start. */
    void prepare(String script) throws IOException {
        Run made = config.run(List.of(), "touch .bashrc; " + script);
        assertEquals(0, made.exitCode(), made::err);
    }

    private Path folder(String path, String permissions) throws IOException {
        Path made = Files.createDirectories(folder.resolve(path));
        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString(permissions));
        return made;
    }

    private void write(String file, String... lines) throws IOException {
        Path path = Files.write(folder.resolve("host/sshd").resolve(file), List.of(lines));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));
    }

    private void writeSettings(String... first) throws IOException {
        List<String> lines = new ArrayList<>(List.of(first));
        lines.addAll(List.of(
                "Port " + PORT,
                "ListenAddress " + address,
                "HostKey /srv/key",
                "PidFile none",
                // Both need root.
                "UsePAM no",
                "KbdInteractiveAuthentication no",
                // As Debian has them.
                "PrintMotd no",
                "AcceptEnv LANG LC_*",
                "Subsystem sftp /usr/lib/openssh/sftp-server"));
        List<String> options = Product.javaOptions();
        if (!options.isEmpty()) {
            lines.add(options.stream().map(one -> '"' + one + '"').collect(Collectors.joining(" ", "SetEnv ", "")));
        }
        write("sshd_config", lines.toArray(String[]::new));
    }

    private List<String> inNamespaces(String... command) throws IOException {
        List<String> all =
                new ArrayList<>(List.of("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"));
        if (!Product.isRoot()) {
            all.add("--map-root-user");
        }
        if (cable != null) {
            all.add("--net");
        }
        all.add("--");
        all.addAll(List.of(command));
        return all;
    }

    private void boot() throws IOException {
        List<String> command = inNamespaces("bash", INIT, folder.resolve("host").toString(), name, PACKAGES.toString());
        command.addAll(asUser);
        init = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        answers = init.inputReader();
        awaitDone("boot");
        if (cable != null) {
            cable.lay(init.children().findFirst().orElseThrow().pid(), folder);
            tell("address " + cable.far() + "/30");
        }
        startServer();
    }

    private void tell(String what) throws IOException {
        init.getOutputStream().write((what + "\n").getBytes(StandardCharsets.UTF_8));
        init.getOutputStream().flush();
        awaitDone(what);
    }

    private void awaitDone(String what) throws IOException {
        if (!"done".equals(answers.readLine())) {
            throw new AssertionError(name + " does not " + what + ": " + Files.readString(log()));
        }
    }

    /** Starts sshd, and waits until it listens. */
    void startServer() throws IOException {
        starts = lines("Server listening on") + 1;
        tell("start");
        Await.until("sshd listens", () -> lines("Server listening on") == starts);
    }

    /** Ends sshd itself, as its service would be stopped: logins that are there stay. */
    void stopServer() throws IOException {
        tell("stop");
    }

    /** Starts sshd anew with those settings before its own, {@code AllowStreamLocalForwarding no} for one. */
    void settings(String... lines) throws IOException {
        writeSettings(lines);
        stopServer();
        startServer();
    }

    /** Kills all that sshd runs logins with, which cuts them at once. What they started lives on, if it wants to. */
    void killSessions() throws IOException {
        Await.until("no session is left", () -> {
            List<ProcessHandle> sessions = sessions();
            sessions.forEach(ProcessHandle::destroyForcibly);
            return sessions.isEmpty();
        });
    }

    /** The processes of sshd that serve logins, two for each. */
    List<ProcessHandle> sessions() {
        return processes("sshd: " + name);
    }

    /** The processes there whose first argument begins so. */
    List<ProcessHandle> processes(String beginning) {
        return Processes.below(init.toHandle(), beginning);
    }

    /** Ends every process there at once, and starts the host again with its files. */
    void reboot() throws IOException {
        end();
        boot();
    }

    /** Puts the cable in, or pulls it: then nothing passes, and nobody is told. */
    void plug(boolean in) throws IOException {
        tell("link " + (in ? "up" : "down"));
    }

    /** From now on new connections go through that relay. */
    BadLink through(long seed) throws IOException {
        BadLink link = BadLink.to(new InetSocketAddress(address, PORT), seed);
        config.leadTo("127.0.0.1", link.port());
        return link;
    }

    /** How often somebody logged in. */
    long logins() throws IOException {
        return lines("Accepted publickey");
    }

    private long lines(String part) throws IOException {
        try (Stream<String> lines = Files.lines(log())) {
            return lines.filter(line -> line.contains(part)).count();
        }
    }

    /** Makes a file, or what a link says, the user's own. */
    void give(Path file) throws IOException {
        Files.setAttribute(file, "unix:uid", uid);
        Files.setAttribute(file, "unix:gid", gid);
    }

    /** Takes a program of the machine away from the host, or gives it back. */
    void hide(Path program, boolean hidden) throws IOException {
        tell((hidden ? "hide " : "show ") + program);
    }

    /** Where a file there lies on this machine. */
    Path here(String there) {
        return home().resolve(Path.of("/home", name).relativize(Path.of(there)));
    }

    /** The arguments of all processes there, but those of the host itself and of sshd. */
    List<String> running() {
        return Processes.below(init.toHandle(), "").stream()
                .map(process -> String.join(" ", Processes.arguments(process)).strip())
                .filter(line -> !line.isEmpty() && !line.startsWith("sshd: ") && !line.contains("/usr/sbin/sshd"))
                .filter(line -> !line.contains(INIT))
                .toList();
    }

    /** What ssh needs; the host's name is the target. */
    SshConfig config() {
        return config;
    }

    String name() {
        return name;
    }

    /** Its {@code /home/NAME}, as this machine sees it. */
    Path home() {
        return folder.resolve("host/home");
    }

    /** Its {@code /tmp}, as this machine sees it. */
    Path tmp() {
        return folder.resolve("host/tmp");
    }

    Path log() {
        return folder.resolve("host/sshd/sshd.log");
    }

    private void end() {
        if (init != null) {
            // The end of a process 1 waits until all others of its namespace are gone.
            init.children().forEach(ProcessHandle::destroyForcibly);
            try {
                init.waitFor(Await.DEADLINE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** For a test that did not come to {@link #close}. */
    private void abandon() {
        end();
        TestFolders.deleteLeft(folder);
    }

    @Override
    public void close() throws IOException {
        end();
        TestFolders.delete(folder);
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
