package brig.gateway.egress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.connection.LongAnswer;
import brig.gateway.time.VertxTimers;
import brig.gateway.worker.Reach;
import io.netty.channel.unix.DomainSocketAddress;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.ContextInternal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections between two sockets that stand for the worker-agents of a host and of home. */
@Timeout(60)
class WallStreamsTest {
    private static final String ID = "spn_0123456789abcdefghjkmnpq";
    private static final String STREAM = "\"spawn_id\":\"" + ID + "\",\"role\":\"proxy\"";

    @TempDir
    Path folder;

    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
    private ServerSocketChannel far;
    private ServerSocketChannel home;
    private WallStreams streams;
    private volatile String refusal;

    /** One end of a connection. */
    private record End(SocketChannel channel, BufferedReader lines) implements AutoCloseable {
        static End of(ServerSocketChannel server) throws IOException {
            SocketChannel channel = server.accept();
            return new End(
                    channel,
                    new BufferedReader(
                            new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8)));
        }

        void send(String text) throws IOException {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    @BeforeEach
    void open() throws IOException {
        far = listen("far");
        home = listen("home");
        ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
        streams = new WallStreams(
                context.nettyEventLoop(),
                new VertxTimers(vertx),
                new WallStreams.Ends("build1", address("far"), Reach.HERE, address("home")),
                id -> refusal);
        context.runOnContext(now -> streams.open());
    }

    private ServerSocketChannel listen(String name) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(folder.resolve(name)));
    }

    private DomainSocketAddress address(String name) {
        return new DomainSocketAddress(folder.resolve(name).toString());
    }

    @AfterEach
    void close() throws IOException {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        far.close();
        home.close();
    }

    @Test
    void shouldJoinAConnectionWithHomeAndPassBytesAndEndsOn() throws IOException {
        try (End wall = End.of(far)) {
            assertEquals("{\"link\":\"egress\"}", wall.lines().readLine());
            wall.send("{" + STREAM + "}\nearly\n");
            try (End egress = End.of(home)) {
                assertEquals(
                        "{\"link\":\"granted\"," + STREAM + "}", egress.lines().readLine());
                assertEquals("early", egress.lines().readLine());
                egress.send("{\"ok\":{}}\nanswer\n");
                assertEquals("{\"ok\":{}}", wall.lines().readLine());
                assertEquals("answer", wall.lines().readLine());
                wall.channel().shutdownOutput();
                assertEquals(null, egress.lines().readLine());
                egress.send("still\n");
                assertEquals("still", wall.lines().readLine());
            }
            assertEquals(null, wall.lines().readLine());
        }
    }

    @Test
    void shouldNotReadFasterThanHomeTakes() throws Exception {
        try (End wall = End.of(far)) {
            wall.lines().readLine();
            wall.send("{" + STREAM + "}\n");
            try (End egress = End.of(home)) {
                egress.lines().readLine();
                wall.channel().configureBlocking(false);
                ByteBuffer block = ByteBuffer.allocate(1 << 20);
                long written = 0;
                int idle = 0;
                while (idle < 20) {
                    int count = wall.channel().write(block.clear());
                    written += count;
                    idle = count == 0 ? idle + 1 : 0;
                    Thread.onSpinWait();
                    if (count == 0) {
                        vertxTurn();
                    }
                }
                assertTrue(written < 16 << 20, "took " + written + " bytes that nobody reads");
            }
        }
    }

    @Test
    void shouldGiveAWallThatHasSaidAllTheWholeAnswer() throws Exception {
        try (End wall = End.of(far)) {
            wall.lines().readLine();
            wall.send("{" + STREAM + "}\n");
            try (End egress = End.of(home)) {
                egress.lines().readLine();
                wall.channel().shutdownOutput();
                assertEquals(null, egress.lines().readLine());
                long sent = LongAnswer.fill(egress.channel(), this::vertxTurn);
                egress.channel().close();
                assertEquals(sent, Channels.newInputStream(wall.channel()).readAllBytes().length);
            }
        }
    }

    /** Waits until the event loop did what it had to do. */
    private void vertxTurn() {
        var turn = new java.util.concurrent.CompletableFuture<Void>();
        vertx.runOnContext(now -> turn.complete(null));
        turn.join();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\n",
                "{}\n",
                "garbage\n",
                "\u0000\u0001\u0002\n",
                "{\"spawn_id\":\"" + ID + "\",\"role\":\"root\"}\n",
                "{\"spawn_id\":\"../../x\",\"role\":\"proxy\"}\n",
                "{\"spawn_id\":\"" + ID + "\",\"role\":\"proxy\",\"refused\":\"no\"}\n",
                "{\"spawn_id\":\"" + ID + "\",\"role\":\"transparent\",\"address\":\"169.254.169.254\",\"port\":0}\n",
                "{\"link\":\"control\",\"spawn_id\":\"" + ID + "\",\"role\":\"proxy\"}\n"
            })
    void shouldRefuseAFirstLineThatIsNone(String line) throws IOException {
        try (End wall = End.of(far)) {
            wall.lines().readLine();
            wall.send(line);
            String answer = wall.lines().readLine();
            assertTrue(answer.startsWith("{\"error\":"), answer);
            assertEquals(null, wall.lines().readLine());
        }
    }

    @Test
    void shouldRefuseALineWithoutAnEnd() throws IOException {
        try (End wall = End.of(far)) {
            wall.lines().readLine();
            wall.send("x".repeat(5000));
            assertTrue(wall.lines().readLine().contains("LINE_TOO_LONG"));
        }
    }

    @Test
    void shouldTellHomeWhatItRefusesAndWhy() throws IOException {
        refusal = "it is on another host";
        try (End wall = End.of(far)) {
            wall.lines().readLine();
            wall.send("{" + STREAM + "}\n");
            try (End egress = End.of(home)) {
                assertEquals(
                        "{\"link\":\"granted\"," + STREAM + ",\"refused\":\"it is on another host\"}",
                        egress.lines().readLine());
                egress.send("{\"error\":\"it is on another host\",\"code\":\"FORBIDDEN\"}\n");
            }
            assertTrue(wall.lines().readLine().contains("FORBIDDEN"));
            assertEquals(null, wall.lines().readLine());
        }
    }

    @Test
    void shouldRefuseWhileHomeIsDown() throws IOException {
        home.close();
        try (End wall = End.of(far)) {
            wall.lines().readLine();
            wall.send("{" + STREAM + "}\n");
            assertTrue(wall.lines().readLine().contains("WORKER_AGENT_UNAVAILABLE"));
        }
    }

    @Test
    void shouldReplaceConnectionsThatTheHostCloses() throws IOException {
        for (int i = 0; i < 3 * PoolSize.WAITING_MIN; i++) {
            try (End wall = End.of(far)) {
                assertEquals("{\"link\":\"egress\"}", wall.lines().readLine());
            }
        }
    }
}
