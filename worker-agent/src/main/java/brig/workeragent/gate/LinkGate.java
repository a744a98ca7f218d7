package brig.workeragent.gate;

import brig.protocol.control.LinkToken;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TCP port of a sandbox, for the one gateway that the sandbox belongs to. A request with its token becomes a stream of
 * bytes, which a {@code brig-join} joins with the link socket: all connections of the gateway go over that one. A new one
 * with a greater epoch ends the one before.
 *
 * <p>Thread-safe. Decision 0217.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
public final class LinkGate implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LinkGate.class);
    /** With those that have said nothing yet. */
    private static final int CONNECTIONS_MAX = 32;

    private static final int REQUEST_SECONDS_MAX = 10;
    private static final int LINE_BYTES_MAX = 1024;
    private static final int HEAD_BYTES_MAX = 16 * 1024;
    private static final int BODY_BYTES_MAX = 1024;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("brig-gate", true), EpollIoHandler.newFactory());
    private final ChannelGroup connections = new DefaultChannelGroup(loop.next(), true);
    private final LinkToken link;
    private final byte[] key;
    private final List<String> joiner;
    private final Channel listener;
    /** On the loop: the greatest epoch so far, and its connection. */
    private long newest = -1;

    private @Nullable Channel current;

    /**
     * @param joiner the command of the far end of a joint
     * @throws IOException if the address is taken
     */
    public LinkGate(InetSocketAddress address, LinkToken link, byte[] key, List<String> joiner) throws IOException {
        this.link = link;
        this.key = key.clone();
        this.joiner = List.copyOf(joiner);
        try {
            listener = new ServerBootstrap()
                    .group(loop, loop)
                    .channel(EpollServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<EpollSocketChannel>() {
                        @Override
                        protected void initChannel(EpollSocketChannel channel) {
                            prepare(channel);
                        }
                    })
                    .bind(address)
                    .syncUninterruptibly()
                    .channel();
        } catch (RuntimeException e) {
            close(loop);
            throw new IOException("cannot listen at " + address + ": " + e.getMessage(), e);
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    private void prepare(Channel channel) {
        if (connections.size() >= CONNECTIONS_MAX) {
            channel.close();
            return;
        }
        connections.add(channel);
        channel.pipeline()
                .addLast("timeout", new ReadTimeoutHandler(REQUEST_SECONDS_MAX))
                .addLast("http", new HttpServerCodec(LINE_BYTES_MAX, HEAD_BYTES_MAX, HEAD_BYTES_MAX))
                .addLast("body", new HttpObjectAggregator(BODY_BYTES_MAX))
                .addLast("request", new GateRequest(this));
    }

    List<String> joiner() {
        return joiner;
    }

    /** Whether the token lets that connection in. It ends the one before. On the loop. */
    boolean admit(@Nullable String token, Channel channel) {
        OptionalLong epoch = token == null ? OptionalLong.empty() : link.epochOf(token, key);
        if (epoch.isEmpty() || epoch.getAsLong() <= newest) {
            LOG.warn("refused a connection without a {} token", epoch.isEmpty() ? "valid" : "new");
            return false;
        }
        newest = epoch.getAsLong();
        if (current != null) {
            current.close();
        }
        current = channel;
        return true;
    }

    private static void close(EventLoopGroup group) {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        listener.close().awaitUninterruptibly();
        connections.close().awaitUninterruptibly();
        close(loop);
    }
}
