package brig.workeragent.relay;

import brig.egress.connection.Relay;
import brig.workeragent.wall.Walls;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leads connections to ports of one wall to servers behind others. Thread-safe.
 *
 * <p>Decision 0211.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
public final class ServerPorts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerPorts.class);
    /** Of one process; each is two sockets of ours. */
    private static final int CONNECTIONS_MAX = 256;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("brig-servers", true), EpollIoHandler.newFactory());

    /** Until the process ends. */
    public interface Joined extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Leads connections on.
     *
     * @param listeners a descriptor for each of the servers; they belong to this object
     */
    public Joined join(List<Walls.Server> servers, List<Integer> listeners) {
        if (servers.isEmpty()) {
            return () -> {};
        }
        List<Channel> listening = new ArrayList<>();
        ChannelGroup accepted = new DefaultChannelGroup(loop.next(), true);
        for (int i = 0; i < servers.size(); i++) {
            listening.add(listen(servers.get(i), listeners.get(i), accepted));
        }
        return () -> {
            listening.forEach(Channel::close);
            accepted.close();
        };
    }

    private Channel listen(Walls.Server server, int descriptor, ChannelGroup accepted) {
        EpollServerSocketChannel listener = new EpollServerSocketChannel(descriptor);
        new ServerBootstrap()
                .group(loop, loop)
                .channelFactory(() -> listener)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<EpollSocketChannel>() {
                    @Override
                    protected void initChannel(EpollSocketChannel channel) {
                        if (accepted.size() >= CONNECTIONS_MAX) {
                            channel.close();
                            return;
                        }
                        accepted.add(channel);
                        server.behind().dial(server.port()).whenComplete((far, refused) -> {
                            if (refused == null) {
                                handleDialled(channel, new EpollSocketChannel(far));
                            } else {
                                LOG.debug("port {} has no server now: {}", server.port(), refused.getMessage());
                                channel.close();
                            }
                        });
                    }
                })
                .register();
        return listener;
    }

    private void handleDialled(EpollSocketChannel inside, EpollSocketChannel far) {
        far.config().setAutoRead(false);
        far.config().setTcpNoDelay(true);
        loop.register(far).addListener((ChannelFutureListener) registered -> {
            if (!registered.isSuccess() || !inside.isOpen()) {
                far.close();
                inside.close();
                return;
            }
            Relay.join(inside, far);
            inside.config().setAutoRead(true);
            far.config().setAutoRead(true);
        });
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
