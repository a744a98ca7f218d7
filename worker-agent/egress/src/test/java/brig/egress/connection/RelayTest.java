package brig.egress.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two connections on loopback, and the relay between them. */
@Timeout(60)
class RelayTest {
    private final AtomicLong turns = new AtomicLong();
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory(0, () -> {
        SelectStrategy usual = DefaultSelectStrategyFactory.INSTANCE.newSelectStrategy();
        return (now, hasTasks) -> {
            turns.incrementAndGet();
            return usual.calculateStrategy(now, hasTasks);
        };
    }));
    private SocketChannel program;
    private SocketChannel host;

    @BeforeEach
    void join() throws Exception {
        try (ServerSocketChannel ends =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Channel inside = dial(ends);
            program = ends.accept();
            Channel outside = dial(ends);
            host = ends.accept();
            loop.submit(() -> {
                        Relay.join(inside, outside, ProxyLimits.USUAL, bytes -> {}, bytes -> {});
                        inside.config().setAutoRead(true);
                        outside.config().setAutoRead(true);
                    })
                    .sync();
        }
    }

    private Channel dial(ServerSocketChannel ends) throws Exception {
        return new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(ends.getLocalAddress())
                .sync()
                .channel();
    }

    @AfterEach
    void close() throws IOException {
        program.close();
        host.close();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void shouldGiveAProgramThatHasSaidAllTheWholeAnswer() throws Exception {
        program.shutdownOutput();
        assertEquals(-1, host.read(ByteBuffer.allocate(1)));
        // Nobody reads until no more can be sent: so the connection waits for room.
        host.configureBlocking(false);
        long sent = 0;
        for (int idle = 0; idle < 50; idle++) {
            int count = host.write(ByteBuffer.allocate(1 << 16));
            sent += count;
            idle = count == 0 ? idle : 0;
            loop.submit(Thread::yield).sync();
        }
        host.close();
        assertEquals(sent, Channels.newInputStream(program).readAllBytes().length);
    }

    @Test
    void shouldRestWhenAProgramThatHasSaidAllIsGone() throws Exception {
        program.shutdownOutput();
        assertEquals(-1, host.read(ByteBuffer.allocate(1)));
        program.setOption(StandardSocketOptions.SO_LINGER, 0);
        program.close();
        loop.schedule(turns::get, 50, TimeUnit.MILLISECONDS).sync();
        long before = turns.get();
        loop.schedule(turns::get, 200, TimeUnit.MILLISECONDS).sync();
        assertTrue(turns.get() - before < 50, "turned " + (turns.get() - before) + " times");
    }
}
