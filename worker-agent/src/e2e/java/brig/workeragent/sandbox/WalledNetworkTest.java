package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.control.Posture;
import brig.protocol.spawn.WallKind;
import brig.workeragent.limits.ResourceLimits;
import brig.workeragent.limits.RlimitsOnly;
import brig.workeragent.sandbox.NetworkPlan.Listener;
import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The network of a wall with egress, on a real bwrap: what its sockets take, and what the worker cannot do to it. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ParameterizedClass
@EnumSource(WallKind.class)
class WalledNetworkTest {

    static final NetworkPlan PLAN = new NetworkPlan(
            List.of(
                    new Listener(false, "127.0.0.1", 3128),
                    new Listener(false, "0.0.0.0", 80),
                    new Listener(false, "0.0.0.0", 443),
                    new Listener(true, "127.0.0.1", 53),
                    new Listener(false, "127.0.0.1", 53)),
            null);

    private static final String SERVER = """
            import socket
            server = socket.create_server(("127.0.0.1", 3000))
            print("up", flush=True)
            peer = server.accept()[0]
            peer.sendall(b"hello " + peer.recv(100))
            """;

    private static WallFixture wall;

    @Parameter
    WallKind kind;

    @BeforeParameterizedClassInvocation
    static void open(WallKind kind) {
        wall = new WallFixture(new RlimitsOnly(), kind);
    }

    @AfterParameterizedClassInvocation
    static void close() {
        wall.close();
    }

    /** A shell behind a wall with that network. */
    static LaunchRequest withNetwork(WallFixture of, NetworkPlan plan, boolean stdinPipe, String... command) {
        LaunchRequest usual = of.request(ResourceLimits.DEFAULT, stdinPipe, command);
        return new LaunchRequest(
                usual.workerId(),
                usual.profile().withNetwork(plan),
                usual.limits(),
                usual.command(),
                stdinPipe,
                usual.startTimeoutMs());
    }

    private static BubblewrapProcess bash(String script) {
        return bash(wall, script);
    }

    static BubblewrapProcess bash(WallFixture of, String script) {
        return of.launch(withNetwork(of, PLAN, true, "/bin/bash", "-c", script));
    }

    static void end(BubblewrapProcess process) throws IOException {
        process.stdin().close();
        process.stdout().stream().close();
        process.stderr().stream().close();
        WallFixture.await(process.exit());
        process.network().close();
    }

    private static String says(BubblewrapProcess process) throws IOException {
        String said = WallFixture.text(process.stdout().stream());
        end(process);
        return said;
    }

    @Test
    void shouldTakeConnectionsToAnyAddressWhenItsPortIsListenedTo() throws IOException {
        BubblewrapProcess process = bash("exec 3<>/dev/tcp/203.0.113.7/443; echo hello >&3; cat <&3");
        List<Integer> listeners = process.network().listeners();
        assertEquals(PLAN.listeners().size(), listeners.size());
        try (var connection = TakenSocket.accept(listeners.get(2))) {
            assertEquals("203.0.113.7:443", connection.localAddress());
            assertEquals("hello\n", connection.readLine());
            connection.write("good bye\n");
        }
        assertEquals("good bye\n", says(process));
    }

    @Test
    void shouldRefuseAtOnceWhenNobodyListens() throws IOException {
        BubblewrapProcess process = bash("""
                for to in 203.0.113.7/444 169.254.169.254/8080 127.0.0.1/8080; do
                    (exec 3<>/dev/tcp/$to) 2>&1 | tail -n 1
                done""");
        String said = says(process);
        assertEquals(
                3,
                said.lines().filter(line -> line.endsWith("Connection refused")).count(),
                said);
    }

    @Test
    void shouldConfirmTheNetworkAndNoCapability() throws IOException {
        BubblewrapProcess process = bash("true");
        Posture posture = process.posture();
        end(process);
        assertEquals(
                List.of(),
                posture.properties().stream()
                        .filter(property -> !property.holds())
                        .toList());
        var names = posture.properties().stream().map(Posture.Property::name).toList();
        assertTrue(names.contains("egress-network") && names.contains("no-capabilities"), names::toString);
        assertFalse(names.contains("own-network"), names::toString);
    }

    @Test
    void shouldListenToAFurtherPortWhenAsked() throws IOException {
        BubblewrapProcess process = bash("read line; exec 3<>/dev/tcp/203.0.113.7/8443; echo later >&3; cat <&3");
        int listener = WallFixture.await(process.network().listen(8443));
        process.stdin().stream().write('\n');
        try (var connection = TakenSocket.accept(listener)) {
            assertEquals("later\n", connection.readLine());
        }
        assertEquals("", says(process));
    }

    @Test
    @Tag("slow")
    void shouldHaveEachPortBeforeAnybodyIsToldOfIt() throws IOException {
        BubblewrapProcess process = wall.launch(withNetwork(wall, PLAN, true, "/usr/bin/python3", "-c", """
                import socket, sys
                for port in range(3000, 3050):
                    server = socket.create_server(("127.0.0.1", port))
                    print("up", flush=True)
                    server.accept()[0].close()
                    sys.stdin.readline()
                    socket.create_connection(("203.0.113.7", port + 6000)).close()
                """));
        for (int port = 3000; port < 3050; port++) {
            assertEquals("up", WallFixture.line(process.stdout().stream()));
            TakenSocket.of(WallFixture.await(process.network().dial(port))).close();
            int listener = WallFixture.await(process.network().listen(port + 6000));
            process.stdin().stream().write('\n');
            TakenSocket.accept(listener).close();
        }
        assertEquals("", says(process));
    }

    @Test
    void shouldConnectToAServerOfTheWorkerWhenDialled() throws IOException {
        BubblewrapProcess process = wall.launch(withNetwork(wall, PLAN, true, "/usr/bin/python3", "-c", SERVER));
        assertEquals("up", WallFixture.line(process.stdout().stream()));
        try (var connection = TakenSocket.of(WallFixture.await(process.network().dial(3000)))) {
            connection.write("host\n");
            assertEquals("hello host\n", connection.readLine());
        }
        end(process);
    }

    @Test
    void shouldSayWhyWhenThereIsNoSuchSocket() throws IOException {
        BubblewrapProcess process = bash("cat");
        CompletableFuture<Integer> dialled = process.network().dial(3000);
        assertEquals(Code.PORT_UNAVAILABLE, WallFixture.failure(dialled).code());
        SandboxException taken = WallFixture.failure(process.network().listen(443));
        assertEquals("listen 443: something in the wall has that port", taken.getMessage());
        end(process);
        assertEquals(
                "dial 1: the wall is gone",
                WallFixture.failure(process.network().dial(1)).getMessage());
    }

    @Test
    void shouldGetNoPortThatIsListenedTo() throws IOException {
        BubblewrapProcess process = bash("""
                python3 -c '
                import socket
                for kind, address, port in ((1, "0.0.0.0", 443), (1, "198.18.0.1", 443), (1, "127.0.0.1", 3128),
                                            (1, "0.0.0.0", 3128), (2, "127.0.0.1", 53), (2, "0.0.0.0", 53)):
                    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
                        taker = socket.socket(socket.AF_INET, kind)
                        taker.setsockopt(socket.SOL_SOCKET, option, 1)
                        try:
                            taker.bind((address, port))
                            if kind == 1: taker.listen()
                            print("got", kind, address, port, option)
                        except OSError as e:
                            pass
                print("tried")'""");
        assertEquals("tried\n", says(process));
    }

    @Test
    void shouldHaveNoNetworkAtAllWhenThePlanIsEmpty() throws IOException {
        BubblewrapProcess process = wall.launch(withNetwork(
                wall,
                NetworkPlan.NONE,
                true,
                "/bin/bash",
                "-c",
                "(exec 3<>/dev/tcp/203.0.113.7/443) 2>&1; cat /etc/resolv.conf"));
        assertEquals(List.of(), process.network().listeners());
        assertTrue(says(process).trim().endsWith("Network is unreachable"));
    }

    @Test
    void shouldConnectToAServerWhenTheWallHasNoNetworkToo() throws IOException {
        BubblewrapProcess process =
                wall.launch(withNetwork(wall, NetworkPlan.NONE, true, "/usr/bin/python3", "-c", SERVER));
        assertEquals("up", WallFixture.line(process.stdout().stream()));
        try (var connection = TakenSocket.of(WallFixture.await(process.network().dial(3000)))) {
            connection.write("host\n");
            assertEquals("hello host\n", connection.readLine());
        }
        end(process);
    }

    @Test
    void shouldNotTouchTheHostsNetworkWhenTheWallHasThat() throws IOException {
        // Scenario: bubblewrap is replaced by one that gives the wall the network of the host.
        String before = Files.readString(Path.of("/proc/net/fib_trie"));
        Path script = Files.createTempFile("brig-shares", ".sh");
        Files.writeString(script, "#!/bin/sh\nshift 2\nexec /usr/bin/bwrap --args 7 --share-net \"$@\"\n");
        Files.setAttribute(script, "unix:mode", 0755);
        try (var shared = new WallFixture(new RlimitsOnly(), script)) {
            SandboxException failure = shared.failure(withNetwork(shared, PLAN, false, "true"));
            assertEquals("the wall has namespaces of the host, which are not to be touched", failure.getMessage());
        } finally {
            Files.delete(script);
        }
        assertEquals(before, Files.readString(Path.of("/proc/net/fib_trie")));
    }
}
