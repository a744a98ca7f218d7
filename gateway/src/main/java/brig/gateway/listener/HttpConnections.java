package brig.gateway.listener;

import brig.gateway.connection.Problem;
import brig.gateway.limits.ConnectionGuard;
import brig.gateway.limits.GuardedConnection;
import brig.protocol.BrigException;
import brig.protocol.channel.Turns;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.net.InetSocketAddress;

/**
 * Registers HTTP connections with the guard from their opening. A TCP connection is unauthenticated until a request
 * brings a valid token; on the Unix socket the kernel names the peer. Owned by the event loop.
 */
public final class HttpConnections {
    private final ConnectionGuard connectionGuard;
    private final UnixSockets unix;

    public HttpConnections(ConnectionGuard connectionGuard, UnixSockets unix) {
        this.connectionGuard = connectionGuard;
        this.unix = unix;
    }

    /** A connection was opened. */
    public void handle(HttpConnection connection) {
        Channel channel = ((ConnectionBase) connection).channel();
        Turns.readOnce(channel);
        GuardedConnection guarded = arrive(channel, why -> ListenerServices.cut(channel));
        ListenerServices.keep(channel, guarded);
        HttpPhases phases = HttpPhases.follow(channel, guarded);
        guarded.endsWith(why -> end(channel, phases, why));
    }

    /** Without a free place it counts as unauthenticated; its first request is refused with the reason. */
    private GuardedConnection arrive(Channel channel, GuardedConnection.Ending ending) {
        if (!(channel instanceof EpollDomainSocketChannel)) {
            return connectionGuard.unauthenticated(addressOf(channel), ending);
        }
        int uid = UnixSockets.peer(channel);
        try {
            return unix.isAllowed(uid)
                    ? connectionGuard.neighbour(UnixSockets.nameOf(uid), ending)
                    : connectionGuard.unauthenticated(UnixSockets.nameOf(uid), ending);
        } catch (BrigException full) {
            return connectionGuard.unauthenticated(UnixSockets.nameOf(uid), ending);
        }
    }

    private static String addressOf(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress()
                : "";
    }

    /** Sends the reason if a request is pending; between requests it would be taken for the next answer. */
    private static void end(Channel channel, HttpPhases phases, BrigException why) {
        if (phases.mayBeRefused()) {
            var _ = channel.pipeline().firstContext().writeAndFlush(Unpooled.wrappedBuffer(Problem.response(why)));
        }
        // Data in the kernel's buffer is still sent; the peer is not awaited.
        ListenerServices.cut(channel);
    }
}
