package brig.gateway.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.VertxTimers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.HelloAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.SpawnRequest;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who listens on the worker-agent's socket, and whether it hears anything.
 *
 * <p>Decision 0144.
 */
@Timeout(60)
class ControlLinkTest {
    private static final String OK = "{\"instance\":\"i1\",\"pid\":1,\"version\":\"1\",\"limits\":\"rlimits\"}";
    private static final String ID = "spn_0123456789abcdefghjkmnpq";
    private static final String HELLO = "{\"id\":1,\"ok\":" + OK + "}\n";

    @TempDir
    Path folder;

    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
    private final CompletableFuture<String> up = new CompletableFuture<>();
    private final CompletableFuture<BrigException> untrusted = new CompletableFuture<>();
    private final CompletableFuture<BrigException> recordLost = new CompletableFuture<>();
    /** Of all timers, in order. */
    private final List<Long> delaysMs = new CopyOnWriteArrayList<>();

    private ServerSocketChannel server;

    @BeforeEach
    void listen() throws IOException {
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket()));
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private Path socket() {
        return folder.resolve("link.sock");
    }

    private ControlLink open(IntPredicate trustedUids) {
        VertxTimers timers = new VertxTimers(vertx);
        ControlLink link = new ControlLink(
                vertx,
                socket().toString(),
                (ms, task) -> {
                    delaysMs.add(ms);
                    return timers.after(ms, task);
                },
                trustedUids);
        link.open(new ControlLink.Listener() {
            @Override
            public void handleUp(String instance) {
                up.complete(instance);
            }

            @Override
            public void handleDown() {}

            @Override
            public void handleUntrusted(BrigException why) {
                untrusted.complete(why);
            }

            @Override
            public void handleRecordLost(BrigException why) {
                recordLost.complete(why);
            }
        });
        return link;
    }

    /** What the first connection says, up to its end or its hello, which is answered. */
    private String heard() throws IOException {
        try (SocketChannel peer = server.accept()) {
            ByteBuffer bytes = ByteBuffer.allocate(4096);
            while (peer.read(bytes) > 0) {
                if (text(bytes).endsWith("\"hello\"}\n")) {
                    peer.write(ByteBuffer.wrap(HELLO.getBytes(StandardCharsets.UTF_8)));
                    up.join();
                    break;
                }
            }
            return text(bytes);
        }
    }

    private static String text(ByteBuffer bytes) {
        return StandardCharsets.UTF_8.decode(bytes.duplicate().flip()).toString();
    }

    @Test
    void shouldSayHelloWhenThePeerIsTrusted() throws Exception {
        int own = (Integer) java.nio.file.Files.getAttribute(socket(), "unix:uid");
        open(uid -> uid == own);
        assertEquals("{\"link\":\"control\"}\n{\"id\":1,\"op\":\"hello\"}\n", heard());
        assertEquals("i1", up.get(20, TimeUnit.SECONDS));
    }

    @Test
    void shouldSendNothingAndSayWhyWhenThePeerIsNot() throws Exception {
        ControlLink link = open(uid -> false);
        assertEquals("", heard());
        BrigException why = untrusted.get(20, TimeUnit.SECONDS);
        assertEquals(ErrorCode.UNTRUSTED_ENDPOINT, why.code());
        assertTrue(why.getMessage().contains(socket().toString()), why::getMessage);
        CompletableFuture<HelloAnswer> asked = new CompletableFuture<>();
        vertx.runOnContext(now -> link.hello().whenComplete((answer, refusal) -> asked.completeExceptionally(refusal)));
        Throwable refusal = assertThrows(ExecutionException.class, () -> asked.get(20, TimeUnit.SECONDS))
                .getCause();
        assertEquals(
                ErrorCode.UNTRUSTED_ENDPOINT,
                assertThrows(BrigException.class, () -> {
                            throw refusal.getCause() == null ? refusal : refusal.getCause();
                        })
                        .code());
    }

    /** The next line that comes from the link. */
    private static JsonObject line(SocketChannel peer) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (peer.read(one.clear()) > 0 && one.get(0) != '\n') {
            line.write(one.get(0));
        }
        return JsonObject.read(line.toByteArray());
    }

    private static void answer(SocketChannel peer, String line) throws IOException {
        peer.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    /** A connection that has said hello and heard the answer. */
    private SocketChannel connected() throws IOException {
        SocketChannel peer = server.accept();
        assertEquals("control", line(peer).text("link"));
        answer(peer, "{\"id\":" + line(peer).number("id", 0) + ",\"ok\":" + OK + "}");
        up.join();
        return peer;
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0", "noise", "[]", "{\"id\":"})
    void shouldConnectAnewWhenThePeerDoesNotSpeakAsAWorkerAgent(String line) throws IOException {
        open(uid -> true);
        try (SocketChannel peer = connected()) {
            answer(peer, line + "\n" + line);
            assertEquals(-1, peer.read(ByteBuffer.allocate(1)));
            try (SocketChannel next = server.accept()) {
                assertEquals("control", line(next).text("link"));
            }
        }
    }

    private CompletableFuture<Object> ask(Supplier<CompletionStage<?>> request) {
        CompletableFuture<Object> asked = new CompletableFuture<>();
        vertx.runOnContext(now -> request.get().whenComplete((answer, failure) -> {
            if (failure == null) {
                asked.complete(answer);
            } else {
                asked.completeExceptionally(failure instanceof CompletionException ? failure.getCause() : failure);
            }
        }));
        return asked;
    }

    private static Throwable failure(CompletableFuture<?> asked) {
        return assertThrows(ExecutionException.class, () -> asked.get(20, TimeUnit.SECONDS))
                .getCause();
    }

    @Test
    void shouldFailWhatIsInFlightWhenTheConnectionBreaksAndAskAgainOnTheNext() throws Exception {
        ControlLink link = open(uid -> true);
        CompletableFuture<Object> spawned;
        CompletableFuture<Object> listed;
        try (SocketChannel first = connected()) {
            spawned = ask(() -> link.spawn(
                    ID,
                    new SpawnRequest(
                            null, null, new SpawnRequest.AgentConfig("shell", null, List.of(), null), null, false),
                    new SpawnRequest.Asker("ci", false),
                    null));
            assertEquals("spawn", line(first).text("op"));
            listed = ask(link::list);
            assertEquals("list", line(first).text("op"));
        }
        assertInstanceOf(WorkerAgent.UnansweredException.class, failure(spawned), "it may have been carried out");
        assertEquals(ErrorCode.WORKER_AGENT_UNAVAILABLE, ((BrigException) failure(listed)).code());
        try (SocketChannel second = connected()) {
            CompletableFuture<Object> again = ask(link::list);
            answer(second, "{\"id\":" + line(second).number("id", 0) + ",\"ok\":{\"workers\":[],\"starting\":[]}}");
            assertEquals(new WorkersAnswer(List.of(), List.of()), again.get(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldSayThatTheDiskOfTheWorkerAgentIsFull() throws Exception {
        ControlLink link = open(uid -> true);
        try (SocketChannel peer = connected()) {
            CompletableFuture<Object> listed = ask(link::list);
            answer(
                    peer,
                    "{\"id\":" + line(peer).number("id", 0)
                            + ",\"code\":\"RECORD_LOST\",\"error\":\"the disk is full\"}");
            assertEquals(ErrorCode.RECORD_LOST, ((BrigException) failure(listed)).code());
            assertEquals(
                    "the disk is full", recordLost.get(20, TimeUnit.SECONDS).getMessage());
        }
    }

    /** An image has tens of thousands of files. */
    @Test
    void shouldWaitAnHourWhereManyFilesAreRemoved() throws Exception {
        ControlLink link = open(uid -> true);
        try (SocketChannel peer = connected()) {
            ask(() -> link.removeImage("debian"));
            line(peer);
            assertEquals(1, Collections.frequency(delaysMs, 3_600_000L));
            ask(() -> link.discardRoot("root_" + "0".repeat(24), new SpawnRequest.Asker("uid:1", true)));
            line(peer);
            assertEquals(2, Collections.frequency(delaysMs, 3_600_000L));
            ask(link::list);
            line(peer);
            assertEquals(2, Collections.frequency(delaysMs, 3_600_000L));
        }
    }

    @Test
    void shouldTakeAnAnswerOfALaterWorkerAgentAndNoneThatNobodyAskedFor() throws Exception {
        ControlLink link = open(uid -> true);
        try (SocketChannel peer = connected()) {
            CompletableFuture<Object> abandoned = ask(() -> link.abandon(ID));
            JsonObject request = line(peer);
            assertTrue(request.flag("forget"), request::toString);
            answer(peer, "{\"id\":99,\"ok\":{}}");
            answer(peer, "{\"id\":" + request.number("id", 0) + ",\"code\":\"OF_A_LATER_VERSION\",\"error\":\"no\"}");
            BrigException refusal = (BrigException) failure(abandoned);
            assertEquals(ErrorCode.INTERNAL, refusal.code());
            assertEquals("no", refusal.getMessage());
        }
    }
}
