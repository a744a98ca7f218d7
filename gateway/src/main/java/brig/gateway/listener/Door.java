package brig.gateway.listener;

import brig.gateway.connection.Outlet;
import brig.gateway.connection.Problem;
import brig.gateway.limits.Lobby;
import brig.gateway.limits.Visitor;
import brig.gateway.session.Access;
import brig.gateway.session.Sessions;
import brig.gateway.session.Tickets;
import brig.gateway.session.Tokens;
import brig.gateway.telemetry.Counters;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Json;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.ConnectionBase;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What all listeners share, and how a Unix socket is opened: bound privately, its peers checked by uid, its connections
 * counted against the limit.
 */
public record Door(
        Vertx vertx,
        Entrance entrance,
        UnixSockets unix,
        Lobby lobby,
        Timers timers,
        Counters counters,
        Outlet.Bounds bounds,
        Set<Outlet> outlets) {
    private static final AttributeKey<Visitor> VISITOR = AttributeKey.valueOf(Door.class, "visitor");

    /**
     * A connection to a Unix socket.
     *
     * @param uid of the process at its other end
     */
    public record Caller(NetSocket socket, int uid, Visitor visitor) {}

    /** Listens on a Unix socket; connections of those who may come in go to the handler. */
    public CompletionStage<NetServer> listen(Path socket, Consumer<Caller> handler) {
        Path bound = unix.prepare(socket);
        NetServer server = vertx.createNetServer();
        server.connectHandler(connection -> handleConnection(connection, handler));
        return server.listen(SocketAddress.domainSocketAddress(bound.toString()))
                .map(listening -> {
                    unix.publish(bound, socket);
                    return listening;
                })
                .toCompletionStage();
    }

    private void handleConnection(NetSocket connection, Consumer<Caller> handler) {
        Channel channel = channel(connection);
        try {
            int uid = unix.requireAllowedPeer(channel);
            Visitor visitor = lobby.neighbour(UnixSockets.nameOf(uid), why -> cut(channel));
            keep(channel, visitor);
            handler.accept(new Caller(connection, uid, visitor));
        } catch (BrigException refusal) {
            connection.write(Buffer.buffer(Json.writeLine(Problem.line(refusal))));
            connection.close();
        }
    }

    /** From now on that channel's visitor is this one, until it is closed. */
    static void keep(Channel channel, Visitor visitor) {
        channel.attr(VISITOR).set(visitor);
        // Not Vert.x's own handler of the end: that is of the protocol, which a WebSocket changes.
        var _ = channel.closeFuture().addListener(closed -> visitor.leave());
    }

    /** Who is at the other end of a connection. */
    public static Visitor visitor(Channel channel) {
        return Objects.requireNonNull(channel.attr(VISITOR).get(), "each connection comes through a door");
    }

    /** Closes at once, whatever is queued. */
    static void cut(Channel channel) {
        // Not from the pipeline's end: there Vert.x waits for what is queued to go out first.
        var _ = channel.pipeline().firstContext().close();
    }

    public Sessions sessions() {
        return entrance.sessions();
    }

    public Tokens tokens() {
        return entrance.tokens();
    }

    public Tickets tickets() {
        return entrance.tickets();
    }

    /** Ends the connection when the token that it lives by counts no more. @return to be run when it is gone */
    public Runnable watch(Access access, Outlet outlet) {
        return tokens().watch(access, why -> {
            var _ = outlet.leave(why.code());
        });
    }

    public Outlet outlet(NetSocket connection) {
        return outlet(channel(connection), why -> Unpooled.EMPTY_BUFFER);
    }

    /** @param lastMessage what the protocol ends with */
    public Outlet outlet(Channel channel, Function<ErrorCode, ?> lastMessage) {
        Outlet outlet = new Outlet(channel, bounds, timers, counters, lastMessage);
        outlets.add(outlet);
        var _ = channel.closeFuture().addListener(closed -> outlets.remove(outlet));
        return outlet;
    }

    /** Ends all connections with that reason. @return completes when they have it, at the latest after that time */
    public CompletionStage<Void> leaveAll(ErrorCode why, long leaveMs) {
        CompletableFuture<Void> late = new CompletableFuture<>();
        timers.after(leaveMs, () -> late.complete(null));
        CompletableFuture<?>[] left = List.copyOf(outlets).stream()
                .map(outlet -> {
                    CompletableFuture<Void> one = new CompletableFuture<>();
                    var _ = outlet.leave(why).addListener(written -> one.complete(null));
                    return one;
                })
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.anyOf(late, CompletableFuture.allOf(left)).thenApply(done -> null);
    }

    /** What an HTTP request came over, below Vert.x. */
    public static Channel channel(HttpServerRequest request) {
        return ((ConnectionBase) request.connection()).channel();
    }

    private static Channel channel(NetSocket connection) {
        return ((NetSocketInternal) connection).channelHandlerContext().channel();
    }
}
