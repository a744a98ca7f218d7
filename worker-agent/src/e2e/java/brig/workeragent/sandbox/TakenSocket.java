package brig.workeragent.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A connection on a descriptor of a wall. */
final class TakenSocket implements AutoCloseable {
    private static final MultiThreadIoEventLoopGroup LOOP = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("brig-taken", true), EpollIoHandler.newFactory());

    private final Channel channel;
    private final LinkedBlockingQueue<Character> received = new LinkedBlockingQueue<>();

    private TakenSocket(Channel channel) {
        this.channel = channel;
        channel.pipeline().addLast(new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                bytes.toString(UTF_8).chars().forEach(letter -> received.add((char) letter));
            }
        });
        var _ = LOOP.register(channel).syncUninterruptibly();
    }

    /** On a connected descriptor, which is closed with this. */
    static TakenSocket of(int descriptor) {
        return new TakenSocket(new EpollSocketChannel(descriptor));
    }

    /** The next connection to a listener, which stays open. */
    static TakenSocket accept(int listener) {
        var accepted = new CompletableFuture<Channel>();
        var server = new EpollServerSocketChannel(listener);
        server.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object connection) {
                accepted.complete((Channel) connection);
            }
        });
        var _ = LOOP.register(server).syncUninterruptibly();
        var connection = new TakenSocket(WallFixture.await(accepted));
        var _ = server.deregister().syncUninterruptibly();
        return connection;
    }

    String localAddress() {
        var address = (InetSocketAddress) channel.localAddress();
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    String readLine() {
        var line = new StringBuilder();
        try {
            while (line.isEmpty() || line.charAt(line.length() - 1) != '\n') {
                line.append(received.poll(20, TimeUnit.SECONDS).charValue());
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return line.toString();
    }

    void write(String text) {
        var _ = channel.writeAndFlush(Unpooled.copiedBuffer(text, UTF_8)).syncUninterruptibly();
    }

    @Override
    public void close() {
        var _ = channel.close().syncUninterruptibly();
    }
}
