package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.e2e.HostileSshServer.Commands;
import brig.gateway.e2e.HostileSshServer.Streams;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the tests of remote hosts stand on: hosts, bad links and the hostile server do what they say. */
@Timeout(2 * Await.DEADLINE_SECONDS)
class SshKitTest {
    /** How the loss of a server is seen within three seconds. */
    private static final List<String> WATCHFUL = List.of("-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=2");

    private static final List<String> HASTY = List.of("-o", "ConnectTimeout=1");

    private static final List<String> NOTHING = List.of();
    private static final int LOST = 255;

    private final List<Process> clients = new ArrayList<>();

    @AfterEach
    void endClients() {
        clients.forEach(Process::destroyForcibly);
    }

    private Process client(SshConfig config, List<String> options, String... command) throws IOException {
        Process client = new ProcessBuilder(config.command(options, command))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        clients.add(client);
        return client;
    }

    /** Somebody who is logged in, and stays. */
    private Process cat(SshConfig config, List<String> options) throws IOException {
        Process cat = client(config, options, "cat");
        assertEquals("hello", said(cat, "hello"));
        return cat;
    }

    private static String said(Process cat, String line) throws IOException {
        cat.outputWriter().write(line + "\n");
        cat.outputWriter().flush();
        return cat.inputReader().readLine();
    }

    private static int exitCode(Process client) throws InterruptedException {
        assertTrue(client.waitFor(Await.DEADLINE_SECONDS, TimeUnit.SECONDS), "ssh does not end");
        return client.exitValue();
    }

    /** A master of connections, and what a client says to go through it and never around it. */
    private List<String> master(SshConfig config, String... options) throws IOException {
        Path socket = config.file().resolveSibling("master");
        List<String> all = new ArrayList<>(List.of("-N", "-T", "-M", "-S", socket.toString()));
        all.addAll(List.of(options));
        client(config, all);
        Await.until("the master is up", () -> Files.exists(socket));
        return List.of("-S", socket.toString(), "-o", "ControlMaster=no", "-o", "ProxyCommand=false");
    }

    private static String echo(Path socket) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(ByteBuffer.wrap("hello".getBytes(StandardCharsets.UTF_8)));
            ByteBuffer answer = ByteBuffer.allocate(5);
            while (answer.hasRemaining() && channel.read(answer) >= 0) {}
            return new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8);
        } catch (IOException reset) {
            return "";
        }
    }

    /** Answers on a Unix socket of a host. */
    private static ServerSocketChannel echoOn(Path socket) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rwxrwxrwx"));
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    SocketChannel one = server.accept();
                    ByteBuffer all = ByteBuffer.allocate(5);
                    while (all.hasRemaining() && one.read(all) >= 0) {}
                    one.write(all.flip());
                }
            } catch (IOException closed) {
                // The test is over.
            }
        });
        return server;
    }

    @Test
    void shouldBeTwoHostsOfTheirUsers() throws IOException {
        try (SshHost one = SshHost.start("build1");
                SshHost other = SshHost.start("build2")) {
            String look =
                    "id -un; pwd; ls -A /home /tmp; all=$(ps -e -o comm=); echo $(echo \"$all\" | sort -u); touch left /tmp/right";
            for (SshHost host : List.of(one, other)) {
                Run run = host.config().run(NOTHING, look);
                assertEquals(
                        host.name() + "\n/home/" + host.name() + "\n/home:\n" + host.name()
                                + "\n\n/tmp:\nbash ps sshd\n",
                        run.out(),
                        run::err);
                assertEquals(1, host.logins());
                assertTrue(Files.exists(host.home().resolve("left"))
                        && Files.exists(host.tmp().resolve("right")));
            }
            Run wall = one.config().run(NOTHING, "bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev id -u");
            assertEquals(one.config().run(NOTHING, "id -u"), wall);
            assertEquals(
                    0,
                    Run.of(
                                    List.of("sftp", "-F", one.config().file().toString(), "-b", "-", "build1"),
                                    "ls\n",
                                    one.tmp())
                            .exitCode());
            assertEquals(LOST, one.config().run(List.of("-l", "build2"), "true").exitCode());
        }
    }

    @Test
    void shouldCountOneLoginForAMasterWithTwentyStreams() throws IOException {
        try (SshHost host = SshHost.start("build1");
                ServerSocketChannel _ = echoOn(host.home().resolve("echo.sock"))) {
            Path near = host.config().file().resolveSibling("near.sock");
            master(host.config(), "-L", near + ":/home/build1/echo.sock");
            Await.until("the socket is forwarded", () -> Files.exists(near));
            for (int i = 0; i < 20; i++) {
                assertEquals("hello", echo(near));
            }
            assertEquals(1, host.logins());
            host.settings("AllowStreamLocalForwarding no");
            assertEquals("hello", echo(near), "a login that is there keeps its settings");
            host.killSessions();
            Files.delete(near);
            master(host.config(), "-L", near + ":/home/build1/echo.sock");
            Await.until("the socket is forwarded", () -> Files.exists(near));
            assertEquals("", echo(near));
        }
    }

    @Test
    void shouldRefuseTheEleventhSessionOfAMaster() throws IOException {
        try (SshHost host = SshHost.start("build1")) {
            List<String> through = master(host.config());
            for (int i = 0; i < 10; i++) {
                cat(host.config(), through);
            }
            assertEquals(LOST, host.config().run(through, "true").exitCode());
            assertEquals(1, host.logins());
            assertEquals(0, host.config().run(through.subList(0, 4), "true").exitCode());
            assertEquals(2, host.logins(), "ssh makes a login of its own where nothing forbids it");
        }
    }

    @Test
    void shouldCutLoginsStopSshdAndReboot() throws Exception {
        try (SshHost host = SshHost.start("build1")) {
            ProcessHandle daemon = daemonOn(host);
            Process cat = cat(host.config(), NOTHING);
            host.stopServer();
            assertEquals("again", said(cat, "again"));
            assertEquals(LOST, host.config().run(NOTHING, "true").exitCode());
            host.killSessions();
            assertEquals(LOST, exitCode(cat));
            host.startServer();
            assertEquals(0, host.config().run(NOTHING, "true").exitCode());
            assertTrue(daemon.isAlive());
            host.reboot();
            assertFalse(daemon.isAlive());
            assertEquals(0, host.config().run(NOTHING, "true").exitCode());
        }
    }

    @Test
    void shouldLeaveNothingBehind() throws IOException {
        ProcessHandle daemon;
        Path home;
        try (SshHost host = SshHost.start("build1")) {
            daemon = daemonOn(host);
            home = host.home();
            assertTrue(daemon.isAlive());
        }
        assertFalse(daemon.isAlive() || Files.exists(home));
    }

    /** A process there that outlives the login which started it. */
    private static ProcessHandle daemonOn(SshHost host) throws IOException {
        Run run = host.config().run(NOTHING, "setsid sleep 1000 <&- >&- 2>&- &");
        assertEquals(0, run.exitCode(), run::err);
        Await.until("the daemon is itself", () -> !host.processes("sleep").isEmpty());
        return host.processes("sleep").getFirst();
    }

    @Test
    void shouldDelayCutAndStallALink() throws Exception {
        try (SshHost host = SshHost.start("build1");
                BadLink link = host.through(1)) {
            Process cat = cat(host.config(), NOTHING);
            link.delay(Duration.ofMillis(150));
            long before = System.nanoTime();
            assertEquals("late", said(cat, "late"));
            long took = System.nanoTime() - before;
            assertTrue(took >= Duration.ofMillis(300).toNanos(), () -> took + " ns");
            link.delay(Duration.ZERO);
            link.stall();
            cat.outputWriter().write("held\n");
            cat.outputWriter().flush();
            link.resume();
            assertEquals("held", cat.inputReader().readLine());
            link.cut();
            assertEquals(LOST, exitCode(cat));
            link.refuse(true);
            assertEquals(LOST, host.config().run(NOTHING, "true").exitCode());
            link.refuse(false);

            Process watchful = cat(host.config(), WATCHFUL);
            link.stall();
            assertEquals(LOST, exitCode(watchful));
            assertEquals(LOST, host.config().run(HASTY, "true").exitCode());
            link.cut();
            link.resume();
            Await.until("sshd sees the end", () -> host.sessions().isEmpty());
            Process halfOpen = cat(host.config(), NOTHING);
            link.cutClients();
            assertEquals(LOST, exitCode(halfOpen));
            assertFalse(host.sessions().isEmpty());
        }
    }

    /** A connection that is cut at random is cut at the same byte with the same seed. */
    @Test
    void shouldCutAtTheSameByteWithTheSameSeed() throws IOException {
        try (SshHost host = SshHost.start("build1")) {
            List<Long> ends = new ArrayList<>();
            for (long seed : List.of(7L, 7L, 8L)) {
                try (BadLink link = host.through(seed)) {
                    link.cutWithin(100_000);
                    assertEquals(
                            LOST,
                            host.config()
                                    .run(NOTHING, "head -c 1000000 /dev/zero")
                                    .exitCode());
                    ends.add(link.bytes());
                }
            }
            assertEquals(ends.get(0), ends.get(1));
            assertNotEquals(ends.get(1), ends.get(2));
            assertTrue(ends.stream().allMatch(end -> end <= 100_000), ends::toString);
        }
    }

    @Test
    void shouldLoseAHostWhoseCableIsPulled() throws Exception {
        try (SshHost host = SshHost.startBehindCable("build1")) {
            Process cat = cat(host.config(), NOTHING);
            Process watchful = cat(host.config(), WATCHFUL);
            host.plug(false);
            cat.outputWriter().write("held\n");
            cat.outputWriter().flush();
            assertEquals(LOST, exitCode(watchful));
            assertFalse(host.sessions().isEmpty());
            host.plug(true);
            assertEquals("held", cat.inputReader().readLine());
            assertEquals(0, host.config().run(NOTHING, "true").exitCode());
        }
    }

    @ParameterizedTest
    @CsvSource({"EXIT, 3, 0", "CUT, 255, 10", "NO_EXIT_CODE, 255, 10", "GARBAGE, 0, 100000000", "RUN, 7, 3"})
    void shouldAnswerCommandsAsItLikes(Commands commands, int exitCode, long bytes) throws Exception {
        try (HostileSshServer server = HostileSshServer.start("bad")) {
            server.exitCode(exitCode);
            server.commands(commands);
            Process client = client(server.config(), NOTHING, "echo hi; exit 7");
            assertEquals(bytes, client.getInputStream().transferTo(OutputStream.nullOutputStream()));
            assertEquals(exitCode, exitCode(client));
        }
    }

    @Test
    void shouldRunCommandsInAHomeOfItsOwn() throws Exception {
        try (HostileSshServer server = HostileSshServer.start("bad")) {
            Run run = server.config().run(NOTHING, "cd; pwd; echo $PWD >&2");
            assertEquals(new Run(0, server.home() + "\n", server.home() + "\n"), run);
            Process cat = cat(server.config(), NOTHING);
            cat.outputWriter().close();
            assertEquals(0, exitCode(cat));
        }
    }

    @Test
    void shouldSayNothingOrTalkWithoutEnd() throws Exception {
        try (HostileSshServer server = HostileSshServer.start("bad")) {
            server.commands(Commands.ENDLESS_ERRORS);
            Process endless = new ProcessBuilder(server.config().command(NOTHING, "true")).start();
            clients.add(endless);
            assertEquals(10_000_000, endless.getErrorStream().readNBytes(10_000_000).length);
            server.commands(Commands.SILENT);
            Process silent = client(server.config(), NOTHING, "true");
            Await.until("both are taken", () -> server.taken() == 2);
            server.exitCode(0);
            assertEquals(0, server.config().run(NOTHING, "true").exitCode());
            assertTrue(endless.isAlive() && silent.isAlive());
        }
    }

    @Test
    void shouldGreetLateNeverOrAtLength() throws Exception {
        try (HostileSshServer server = HostileSshServer.start("bad")) {
            server.link().delay(Duration.ofSeconds(10));
            assertEquals(LOST, server.config().run(HASTY, "true").exitCode());
            server.link().delay(Duration.ZERO);
            server.link().stall();
            assertEquals(LOST, server.config().run(HASTY, "true").exitCode());
            server.link().cut();
            server.link().resume();
            server.chatter(0, "x".repeat(100_000));
            Run greeted = server.config().run(NOTHING, "true");
            assertEquals(0, greeted.exitCode());
            assertTrue(greeted.err().length() >= 100_000, () -> greeted.err().length() + " bytes");
            server.chatter(2000, "");
            assertEquals(LOST, server.config().run(NOTHING, "true").exitCode());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldTreatStreamsAsItLikes(Streams streams) throws Exception {
        try (HostileSshServer server = HostileSshServer.start("bad")) {
            server.streams(streams);
            Path near = server.config().file().resolveSibling("near.sock");
            List<String> through = master(server.config(), "-L", near + ":/link.sock");
            Await.until("the socket is forwarded", () -> Files.exists(near));
            if (streams == Streams.SILENT) {
                try (SocketChannel silent = SocketChannel.open(UnixDomainSocketAddress.of(near))) {
                    silent.write(ByteBuffer.wrap("hello".getBytes(StandardCharsets.UTF_8)));
                    Run meanwhile = server.config().run(through, "true");
                    assertEquals(0, meanwhile.exitCode(), meanwhile::err);
                    silent.configureBlocking(false);
                    assertEquals(0, silent.read(ByteBuffer.allocate(1)));
                    server.link().cut();
                }
            } else {
                assertEquals(streams == Streams.GARBAGE, !echo(near).isEmpty());
            }
            boolean cut = streams == Streams.CUT || streams == Streams.SILENT;
            Run next = server.config().run(through, "true");
            assertEquals(cut ? LOST : 0, next.exitCode(), next::err);
        }
    }
}
