package brig.gateway.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.VertxTimers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who listens on the worker-agent's socket, and whether it hears anything. */
@Timeout(20)
class ControlLinkTest {
    private static final String HELLO = "{\"id\":1,\"ok\":{\"instance\":\"i1\"}}\n";

    @TempDir
    Path folder;

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
    private final CompletableFuture<String> up = new CompletableFuture<>();
    private final CompletableFuture<BrigException> untrusted = new CompletableFuture<>();
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
        return folder.resolve("control.sock");
    }

    private ControlLink open(IntPredicate trustedUids) {
        ControlLink link = new ControlLink(vertx, socket().toString(), new VertxTimers(vertx), trustedUids);
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
        });
        return link;
    }

    /** What the first connection says, up to its end or the end of a line; a line is answered. */
    private String heard() throws IOException {
        try (SocketChannel peer = server.accept()) {
            ByteBuffer bytes = ByteBuffer.allocate(4096);
            while (peer.read(bytes) > 0) {
                if (bytes.get(bytes.position() - 1) == '\n') {
                    peer.write(ByteBuffer.wrap(HELLO.getBytes(StandardCharsets.UTF_8)));
                    up.join();
                    break;
                }
            }
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void shouldSayHelloWhenThePeerIsTrusted() throws Exception {
        int own = (Integer) java.nio.file.Files.getAttribute(socket(), "unix:uid");
        open(uid -> uid == own);
        assertTrue(heard().contains("\"op\":\"hello\""));
        assertEquals("i1", up.get(5, TimeUnit.SECONDS));
    }

    @Test
    void shouldSendNothingAndSayWhyWhenThePeerIsNot() throws Exception {
        ControlLink link = open(uid -> false);
        assertEquals("", heard());
        BrigException why = untrusted.get(5, TimeUnit.SECONDS);
        assertEquals(ErrorCode.UNTRUSTED_ENDPOINT, why.code());
        assertTrue(why.getMessage().contains(socket().toString()), why::getMessage);
        CompletableFuture<Map<String, Object>> asked = new CompletableFuture<>();
        vertx.runOnContext(now -> link.hello().whenComplete((answer, refusal) -> asked.completeExceptionally(refusal)));
        Throwable refusal = assertThrows(ExecutionException.class, () -> asked.get(5, TimeUnit.SECONDS)).getCause();
        assertEquals(ErrorCode.UNTRUSTED_ENDPOINT, assertThrows(BrigException.class, () -> {
            throw refusal.getCause() == null ? refusal : refusal.getCause();
        }).code());
    }
}
