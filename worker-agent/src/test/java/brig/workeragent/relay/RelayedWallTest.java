package brig.workeragent.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.link.WallSocket;
import brig.egress.link.WallSocket.Role;
import brig.egress.policy.EgressPolicy;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.EgressGrant;
import brig.protocol.control.EgressStream;
import brig.workeragent.wall.EgressVariables;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sockets on loopback that stand for those of a wall, and connections of a gateway that wait. */
@Timeout(60)
class RelayedWallTest {
    private static final String ID = "spn_0123456789abcdefghjkmnpq";
    private static final EgressStream PROXY = new EgressStream(ID, EgressStream.Role.PROXY, null, 0);

    @TempDir
    Path folder;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final WaitingLinks links = new WaitingLinks();
    private final List<SocketChannel> gateways = new ArrayList<>();
    private ServerSocketChannel server;

    @BeforeEach
    void open() throws IOException {
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(folder.resolve("s")));
    }

    @AfterEach
    void close() throws IOException {
        for (SocketChannel gateway : gateways) {
            gateway.close();
        }
        server.close();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** A connection of the gateway, which waits. */
    private SocketChannel waiting() throws IOException {
        SocketChannel gateway = SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("s")));
        gateways.add(gateway);
        SocketChannel here = server.accept();
        int before = links.size();
        Thread.ofVirtual().start(() -> {
            try (here) {
                links.serve(here);
            } catch (IOException e) {
                // The other end went.
            }
        });
        while (links.size() == before && before < WaitingLinks.WAITING_MAX) {
            Thread.onSpinWait();
        }
        return gateway;
    }

    private static BufferedReader lines(SocketChannel channel) {
        return new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
    }

    private static void send(SocketChannel channel, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** A listening socket of a wall, with what it serves. */
    private int listen(Role role, long waitMs) throws IOException {
        io.netty.channel.unix.Socket socket = io.netty.channel.unix.Socket.newSocketStream();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        socket.listen(16);
        int port = socket.localAddress().getPort();
        new RelayedWall(ID, links, loop.next(), waitMs).listen(new WallSocket(role, port, socket.intValue()));
        return port;
    }

    private static Socket dial(int port) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    @Test
    void shouldPassBytesBothWaysAfterTheGatewayAccepted() throws IOException {
        SocketChannel gateway = waiting();
        int port = listen(Role.PROXY, 10_000);
        try (Socket program = dial(port)) {
            program.getOutputStream().write("ask\n".getBytes(StandardCharsets.UTF_8));
            BufferedReader home = lines(gateway);
            assertEquals("{\"spawn_id\":\"" + ID + "\",\"role\":\"proxy\"}", home.readLine());
            send(gateway, "{\"ok\":{}}\nearly\n");
            assertEquals("ask", home.readLine());
            BufferedReader said = new BufferedReader(new InputStreamReader(program.getInputStream()));
            assertEquals("early", said.readLine());
            program.shutdownOutput();
            assertEquals(null, home.readLine());
            send(gateway, "late\n");
            assertEquals("late", said.readLine());
            gateway.close();
            assertEquals(null, said.readLine());
        }
    }

    @Test
    void shouldGiveAProgramThatHasSaidAllTheWholeAnswer() throws Exception {
        SocketChannel gateway = waiting();
        try (Socket program = dial(listen(Role.PROXY, 10_000))) {
            BufferedReader home = lines(gateway);
            home.readLine();
            send(gateway, "{\"ok\":{}}\n");
            program.shutdownOutput();
            assertEquals(null, home.readLine());
            // Nobody reads until no more can be sent: so the connection waits for room.
            gateway.configureBlocking(false);
            long sent = 0;
            for (int idle = 0; idle < 100; idle++) {
                int count = gateway.write(ByteBuffer.allocate(1 << 16));
                sent += count;
                idle = count == 0 ? idle : 0;
                loop.submit(Thread::yield).sync();
            }
            gateway.close();
            assertEquals(sent, program.getInputStream().readAllBytes().length);
        }
    }

    @Test
    void shouldSayWhereATransparentConnectionGoes() throws IOException {
        SocketChannel gateway = waiting();
        int port = listen(Role.TRANSPARENT, 10_000);
        try (Socket program = dial(port)) {
            assertTrue(program.isConnected());
            assertEquals(
                    "{\"spawn_id\":\"" + ID + "\",\"role\":\"transparent\",\"address\":\"127.0.0.1\",\"port\":" + port
                            + "}",
                    lines(gateway).readLine());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PROXY", "MODEL"})
    void shouldTellAProxysClientThatTheLinkIsDown(Role role) throws IOException {
        int port = listen(role, 20);
        try (Socket program = dial(port)) {
            program.getOutputStream().write("GET http://a.example/ HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            String said = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(said.startsWith("HTTP/1.1 504 Gateway Timeout\r\n"), said);
            assertTrue(said.contains("the link there is down"), said);
        }
    }

    @Test
    void shouldCloseOtherConnectionsWhileTheLinkIsDown() throws IOException {
        try (Socket program = dial(listen(Role.TRANSPARENT, 20))) {
            assertEquals(-1, program.getInputStream().read());
        }
    }

    @Test
    void shouldTellWhatTheGatewayRefuses() throws IOException {
        SocketChannel gateway = waiting();
        try (Socket program = dial(listen(Role.PROXY, 10_000))) {
            lines(gateway).readLine();
            send(gateway, "{\"error\":\"not served\",\"code\":\"FORBIDDEN\"}\n");
            program.shutdownOutput();
            String said = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(said.startsWith("HTTP/1.1 403 ") && said.endsWith("Brig: not served\n"), said);
        }
    }

    @Test
    void shouldTakeAnotherConnectionForOneThatIsLost() throws Exception {
        SocketChannel good = waiting();
        SocketChannel lost = waiting();
        Thread asker = Thread.ofVirtual().start(() -> {
            try {
                links.take(PROXY, 10_000, (gateway, before) -> {});
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        lines(lost).readLine();
        lost.close();
        assertTrue(lines(good).readLine().contains("proxy"));
        send(good, "{\"ok\":{}}\n");
        asker.join();
    }

    @Test
    void shouldCloseTheOldestBeyondSoMany() throws IOException {
        SocketChannel oldest = waiting();
        for (int i = 0; i < WaitingLinks.WAITING_MAX; i++) {
            waiting();
        }
        assertEquals(null, lines(oldest).readLine());
    }

    @Test
    void shouldUseNoConnectionOnWhichTheGatewaySpokeUnasked() throws IOException {
        SocketChannel gateway = waiting();
        send(gateway, "{\"ok\":{}}\n");
        assertEquals(null, lines(gateway).readLine());
        BrigException refused = assertThrows(BrigException.class, () -> links.take(PROXY, 20, (channel, before) -> {}));
        assertEquals(ErrorCode.WORKER_AGENT_UNAVAILABLE, refused.code());
    }

    @Test
    void shouldBuildAWallFromAGrantThatAllowsNothingByItself() {
        EgressGrant grant = new EgressGrant(
                "p",
                true,
                "PEM",
                List.of(22, 80, 443, 8080),
                Map.of("openai", "/v1", "anthropic", ""),
                Map.of("TOKEN", "BRIG_SECRET_00"));
        EgressPolicy policy = RelayedNetworks.policy(grant);
        assertEquals(Set.of(22, 80, 443, 8080), policy.ports());
        assertEquals(Set.of("openai", "anthropic"), policy.modelRoutes().keySet());
        Map<String, String> variables = EgressVariables.of(policy, grant.placeholders());
        assertEquals("http://127.0.0.1:3129/openai/v1", variables.get("OPENAI_BASE_URL"));
        assertEquals("BRIG_SECRET_00", variables.get("TOKEN"));
        assertEquals(
                EgressPolicy.NONE,
                RelayedNetworks.policy(new EgressGrant("p", false, "", List.of(), Map.of(), Map.of())));
        EgressGrant odd = new EgressGrant("p", true, "PEM", List.of(), Map.of("../x", ""), Map.of());
        assertThrows(BrigException.class, () -> RelayedNetworks.policy(odd));
    }
}
