package brig.gateway.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.VertxTimers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.MirrorStart;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.Setup;
import brig.protocol.spawn.SpawnRequest;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the gateway passes between two worker-agents, over real sockets; the worker-agents are played. */
@Timeout(60)
class RepositoryTransfersTest {
    private static final String ID = "spn_0123456789abcdefghjkmnpq";
    private static final String MIRROR = "0123456789abcdef0123456789abcdef";
    private static final String COMMIT = "0123456789012345678901234567890123456789";
    private static final String START = "\"mirror\":\"" + MIRROR + "\",\"commit\":\"" + COMMIT
            + "\",\"config\":\"\",\"hidden\":[\".env\"],\"head\":\"" + COMMIT + "\"";
    private static final SpawnRequest.Asker ASKER = new SpawnRequest.Asker("ci", false);
    private static final String REFUSED = "{\"error\":\"no\",\"code\":\"WORKSPACE_UNREADABLE\"}";

    @TempDir
    Path folder;

    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
    private final byte[] pack = new byte[3_000_000];
    private final List<Integer> percents = new CopyOnWriteArrayList<>();
    private Peer home;
    private Peer far;
    private WorkerAgents agents;

    @BeforeEach
    void connect() throws Exception {
        new Random(20).nextBytes(pack);
        home = new Peer("home.sock");
        far = new Peer("far.sock");
        agents = new WorkerAgents(home.link, workerId -> "far");
        agents.add("far", far.link);
        home.up.get(20, TimeUnit.SECONDS);
        far.up.get(20, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() throws IOException {
        home.server.close();
        far.server.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    /** A worker-agent: it answers control requests by itself, and hands out transfer connections. */
    private final class Peer {
        final ServerSocketChannel server;
        final ControlLink link;
        final CompletableFuture<String> up = new CompletableFuture<>();
        final BlockingQueue<Wire> transfers = new LinkedBlockingQueue<>();
        volatile String commits = "";
        volatile SocketChannel control;

        Peer(String name) throws IOException {
            Path path = folder.resolve(name);
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path));
            Thread.ofVirtual().start(this::accept);
            link = new ControlLink(vertx, path.toString(), new VertxTimers(vertx), uid -> true);
            link.open(new ControlLink.Listener() {
                @Override
                public void handleUp(String instance) {
                    up.complete(instance);
                }

                @Override
                public void handleDown() {}

                @Override
                public void handleUntrusted(BrigException why) {}

                @Override
                public void handleRecordLost(BrigException why) {}
            });
        }

        private void accept() {
            try {
                while (true) {
                    Wire wire = new Wire(server.accept());
                    if (wire.line().text("link").equals("transfer")) {
                        transfers.add(wire);
                    } else {
                        control = wire.channel;
                        Thread.ofVirtual().start(() -> serve(wire));
                    }
                }
            } catch (IOException closed) {
                // The test is over.
            }
        }

        private void serve(Wire wire) {
            try {
                while (true) {
                    JsonObject asked = wire.line();
                    String ok = switch (asked.text("op")) {
                        case "hello" -> "\"instance\":\"i\",\"pid\":1,\"version\":\"1\",\"limits\":\"rlimits\"";
                        case "lendable" -> "\"mirror\":\"" + MIRROR + "\"";
                        case "mirror" -> "\"commits\":[" + commits + "]";
                        default -> "";
                    };
                    wire.say("{\"id\":" + asked.value("id") + ",\"ok\":{" + ok + "}}");
                }
            } catch (IOException | RuntimeException closed) {
                // The test is over.
            }
        }

        Wire transfer() throws InterruptedException {
            Wire wire = transfers.poll(20, TimeUnit.SECONDS);
            assertTrue(wire != null, "a transfer connection");
            return wire;
        }
    }

    /** The worker-agent's side of a connection. */
    private static final class Wire {
        final SocketChannel channel;
        final InputStream in;
        final OutputStream out;

        Wire(SocketChannel channel) {
            this.channel = channel;
            this.in = new BufferedInputStream(Channels.newInputStream(channel));
            this.out = Channels.newOutputStream(channel);
        }

        JsonObject line() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int next = in.read(); next != '\n'; next = in.read()) {
                if (next < 0) {
                    throw new IOException("closed");
                }
                line.write(next);
            }
            return JsonObject.read(line.toByteArray(), 0, line.size());
        }

        void say(String line) throws IOException {
            out.write((line + "\n").getBytes(UTF_8));
        }
    }

    private static SpawnRequest request(SpawnRequest.WorkspaceMode mode) {
        return new SpawnRequest(
                null,
                null,
                new SpawnRequest.AgentConfig("shell", null, List.of(), null),
                "a secret prompt",
                false,
                null,
                mode,
                "/repo",
                false,
                SpawnRequest.Claim.NONE,
                SpawnRequest.Bounds.NONE,
                SpawnRequest.Continuation.NEW,
                null,
                new SpawnRequest.Place("far", List.of()),
                Setup.NONE);
    }

    private <T> CompletableFuture<T> ask(Supplier<CompletionStage<T>> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        vertx.runOnContext(now -> call.get().whenComplete((ok, failure) -> {
            if (failure == null) {
                answer.complete(ok);
            } else {
                answer.completeExceptionally(failure);
            }
        }));
        return answer;
    }

    private CompletableFuture<MirrorStart> bring() {
        return ask(() -> agents.provide(ID, request(SpawnRequest.WorkspaceMode.WORKTREE), ASKER, percents::add)
                .thenApply(with -> Objects.requireNonNull(with.start())));
    }

    private static ErrorCode refusal(CompletableFuture<?> answer) {
        Throwable failure = assertThrows(
                        CompletionException.class,
                        () -> answer.orTimeout(20, TimeUnit.SECONDS).join())
                .getCause();
        return ((BrigException) (failure instanceof CompletionException ? failure.getCause() : failure)).code();
    }

    /** Home lends, and sends so many of the bytes. */
    private Wire lend(String have, int bytes) throws Exception {
        Wire from = home.transfer();
        JsonObject lend = from.line();
        assertEquals("lend", lend.text("transfer"));
        assertEquals(have, String.valueOf(lend.value("have")));
        assertNull(lend.object("request").value("prompt"), "it is nobody's business there");
        from.say("{\"ok\":{" + START + ",\"bytes\":" + pack.length + "}}");
        Thread.ofVirtual().start(() -> {
            try {
                from.out.write(pack, 0, bytes);
                if (bytes < pack.length) {
                    from.channel.close();
                }
            } catch (IOException closed) {
                // The gateway took no more.
            }
        });
        return from;
    }

    /** Reads until the gateway ended the connection. */
    private static void drain(Wire wire) {
        try {
            wire.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException ended) {
            // Without what was on its way.
        }
    }

    @Test
    void shouldPassAPackOnAndShareItWithSpawnsThatCameMeanwhile() throws Exception {
        CompletableFuture<MirrorStart> first = bring();
        lend("null", pack.length);
        CompletableFuture<MirrorStart> second = bring();
        CompletableFuture<MirrorStart> third = bring();
        Wire to = far.transfer();
        JsonObject receive = to.line();
        assertEquals("receive", receive.text("transfer"));
        assertEquals(pack.length, receive.number("bytes", 0));
        assertArrayEquals(pack, to.in.readNBytes(pack.length));
        assertTrue(home.transfers.isEmpty(), "one at a time");
        far.commits = "\"" + COMMIT + "\"";
        to.say("{\"ok\":{}}");
        assertEquals(COMMIT, first.get(20, TimeUnit.SECONDS).commit());
        assertEquals(percents.stream().sorted().toList(), percents);
        assertTrue(percents.size() > 2 && percents.getLast() == 100, percents::toString);
        Wire again = home.transfer();
        assertEquals("[" + COMMIT + "]", String.valueOf(again.line().value("have")));
        again.say("{\"ok\":{" + START + ",\"bytes\":0}}");
        assertEquals(List.of(".env"), second.get(20, TimeUnit.SECONDS).hidden());
        assertEquals(second.get(), third.get(20, TimeUnit.SECONDS));
        assertTrue(home.transfers.isEmpty() && far.transfers.isEmpty(), "both shared it");
    }

    @Test
    void shouldSendEverythingOnceIfAMirrorHasNotWhatItSaid() throws Exception {
        far.commits = "\"" + COMMIT + "\"";
        CompletableFuture<MirrorStart> brought = bring();
        lend("[" + COMMIT + "]", pack.length);
        Wire to = far.transfer();
        to.line();
        // It refuses before it read the pack, and reads on until the gateway ends.
        to.say(REFUSED);
        drain(to);
        lend("[" + COMMIT + "]", pack.length);
        to = far.transfer();
        to.line();
        to.in.readNBytes(pack.length);
        to.say(REFUSED);
        assertEquals(ErrorCode.WORKSPACE_UNREADABLE, refusal(brought));
        assertTrue(home.transfers.isEmpty(), "no third time");

        far.commits = "";
        CompletableFuture<MirrorStart> later = bring();
        lend("null", pack.length);
        to = far.transfer();
        to.line();
        to.in.readNBytes(pack.length);
        to.say("{\"ok\":{}}");
        assertEquals(COMMIT, later.get(20, TimeUnit.SECONDS).commit());
    }

    @Test
    void shouldEndATransferOfWhichOneSideEnds() throws Exception {
        CompletableFuture<MirrorStart> cutAtHome = bring();
        lend("null", 1_000_000);
        Wire to = far.transfer();
        to.line();
        // What was under way at the end may be lost with it.
        assertTrue(to.in.readAllBytes().length <= 1_000_000, "the other side sees the end");
        assertEquals(ErrorCode.HOST_UNREACHABLE, refusal(cutAtHome));

        CompletableFuture<MirrorStart> cutThere = bring();
        Wire from = lend("null", pack.length);
        to = far.transfer();
        to.line();
        to.in.readNBytes(1000);
        to.channel.close();
        assertEquals(ErrorCode.HOST_UNREACHABLE, refusal(cutThere));
        drain(from);
    }

    @Test
    void shouldTakeAPatchToTheRepositoryAndTellTheOtherHost() throws Exception {
        CompletableFuture<ApplyAnswer> applied = ask(() -> agents.apply(ID, false, List.of("*.sh")));
        Wire from = far.transfer();
        assertEquals("changes", from.line().text("transfer"));
        from.say("{\"ok\":{\"bytes\":7}}\npatch!");
        Wire to = home.transfer();
        JsonObject apply = to.line();
        assertEquals(ID, apply.text("spawn_id"));
        assertEquals("[*.sh]", String.valueOf(apply.value("allow")));
        assertEquals("patch!\n", new String(to.in.readNBytes(7), UTF_8));
        to.say("{\"ok\":{\"spawn_id\":\"" + ID + "\",\"repository\":\"/repo\",\"stat\":\"\",\"patch\":\"\","
                + "\"truncated\":false,\"applied\":true,\"conflicts\":[],\"withheld\":[]}}");
        assertEquals("true", String.valueOf(from.line().value("applied")));
        from.say("{\"ok\":{}}");
        assertEquals("/repo", applied.get(20, TimeUnit.SECONDS).repository());
    }

    @Test
    void shouldRefuseAPatchThatIsTooLongWithoutAskingHome() throws Exception {
        CompletableFuture<ApplyAnswer> applied = ask(() -> agents.apply(ID, false, List.of()));
        Wire from = far.transfer();
        from.line();
        from.say("{\"ok\":{\"bytes\":104857600}}");
        assertEquals(ErrorCode.INVALID_FIELD, refusal(applied));
        assertTrue(home.transfers.isEmpty());
    }

    @Test
    void shouldSayThatAHostIsOutOfReach() throws Exception {
        far.server.close();
        far.control.close();
        CompletableFuture<Void> down = new CompletableFuture<>();
        while (!down.isDone()) {
            var _ = ask(far.link::list)
                    .whenComplete((workers, failure) -> {
                        if (failure != null) {
                            down.complete(null);
                        }
                    })
                    .handle((workers, failure) -> workers)
                    .get(20, TimeUnit.SECONDS);
        }
        assertEquals(ErrorCode.HOST_UNREACHABLE, refusal(ask(() -> agents.apply(ID, false, List.of()))));
        assertEquals(ErrorCode.HOST_UNREACHABLE, refusal(ask(() -> agents.diff(ID, null, false))));
        assertEquals(ErrorCode.HOST_UNREACHABLE, refusal(bring()));
    }
}
