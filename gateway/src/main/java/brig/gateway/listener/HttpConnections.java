package brig.gateway.listener;

import brig.gateway.connection.Problem;
import brig.gateway.limits.Lobby;
import brig.gateway.limits.Visitor;
import brig.protocol.BrigException;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.net.InetSocketAddress;

/**
 * HTTP connections, from their first moment. Over TCP each is a stranger's until a request has brought a token that is
 * good for something; on the Unix socket the kernel names the peer. Owned by the event loop.
 */
public final class HttpConnections {
    private final Lobby lobby;
    private final UnixSockets unix;

    public HttpConnections(Lobby lobby, UnixSockets unix) {
        this.lobby = lobby;
        this.unix = unix;
    }

    /** One was opened. */
    public void handle(HttpConnection connection) {
        Channel channel = ((ConnectionBase) connection).channel();
        Visitor visitor = arrive(channel, why -> Door.cut(channel));
        Door.keep(channel, visitor);
        HttpPhases phases = HttpPhases.follow(channel, visitor);
        visitor.endsWith(why -> end(channel, phases, why));
    }

    /** Who has no place is let in as a stranger: its first request is answered with the reason. */
    private Visitor arrive(Channel channel, Visitor.Ending ending) {
        if (!(channel instanceof EpollDomainSocketChannel)) {
            return lobby.stranger(addressOf(channel), ending);
        }
        int uid = UnixSockets.peer(channel);
        try {
            return unix.isAllowed(uid)
                    ? lobby.neighbour(UnixSockets.nameOf(uid), ending)
                    : lobby.stranger(UnixSockets.nameOf(uid), ending);
        } catch (BrigException full) {
            return lobby.stranger(UnixSockets.nameOf(uid), ending);
        }
    }

    private static String addressOf(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress()
                : "";
    }

    /** Says why where a request has begun and its answer has not; between requests it would be taken for the next one's. */
    private static void end(Channel channel, HttpPhases phases, BrigException why) {
        if (phases.mayBeRefused()) {
            var _ = channel.pipeline().firstContext().writeAndFlush(Unpooled.wrappedBuffer(Problem.response(why)));
        }
        // What the kernel has taken by now goes out; a peer that takes nothing is not waited for.
        Door.cut(channel);
    }
}
