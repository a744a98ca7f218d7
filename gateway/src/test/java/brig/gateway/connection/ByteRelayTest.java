package brig.gateway.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two sockets, and the relay between them. */
@Timeout(60)
class ByteRelayTest {
    @TempDir
    Path folder;

    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
    private final ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
    private SocketChannel client;
    private SocketChannel server;

    @BeforeEach
    void join() throws IOException {
        Path front = folder.resolve("front");
        UnixDomainSocketAddress back = UnixDomainSocketAddress.of(folder.resolve("back"));
        try (ServerSocketChannel servers =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(back)) {
            context.<Object>executeBlocking(() -> null)
                    .compose(now -> vertx.createNetServer()
                            .connectHandler(socket -> connect(socket, back))
                            .listen(SocketAddress.domainSocketAddress(front.toString())))
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join();
            client = SocketChannel.open(UnixDomainSocketAddress.of(front));
            server = servers.accept();
        }
    }

    private void connect(NetSocket socket, UnixDomainSocketAddress back) {
        socket.pause();
        ChannelFuture connected = new Bootstrap()
                .group(context.nettyEventLoop())
                .channel(EpollDomainSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(new DomainSocketAddress(back.getPath().toString()));
        Channel channel = connected.channel();
        connected.addListener(done -> {
            ByteRelay.join(socket, channel);
            socket.resume();
        });
    }

    @AfterEach
    void close() throws IOException {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        client.close();
        server.close();
    }

    private void turn() {
        var turn = new CompletableFuture<Void>();
        context.runOnContext(now -> turn.complete(null));
        turn.join();
    }

    @Test
    void shouldGiveAClientThatHasSaidAllTheWholeAnswer() throws IOException {
        shouldGiveTheWholeAnswer(client, server);
    }

    @Test
    void shouldGiveAServerThatHasSaidAllTheWholeAnswer() throws IOException {
        shouldGiveTheWholeAnswer(server, client);
    }

    private void shouldGiveTheWholeAnswer(SocketChannel asker, SocketChannel other) throws IOException {
        asker.shutdownOutput();
        assertEquals(-1, other.read(ByteBuffer.allocate(1)));
        long sent = LongAnswer.fill(other, this::turn);
        other.close();
        assertEquals(sent, Channels.newInputStream(asker).readAllBytes().length);
    }
}
