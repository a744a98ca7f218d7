package brig.gateway.listener;

import brig.gateway.auth.Access;
import brig.gateway.auth.Tickets;
import brig.gateway.auth.Tokens;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.Problem;
import brig.gateway.limits.ConnectionGuard;
import brig.gateway.limits.GuardedConnection;
import brig.gateway.session.Sessions;
import brig.gateway.telemetry.Counters;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.channel.Turns;
import brig.protocol.json.Json;
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
 * Services shared by all listeners, and the opening of Unix sockets: bound privately, with the peer's uid checked and
 * connections counted against the limit.
 *
 * <p>Decision 0040.
 */
public record ListenerServices(
        Vertx vertx,
        AccessRegistry entrance,
        UnixSockets unix,
        ConnectionGuard connectionGuard,
        Timers timers,
        Counters counters,
        ConnectionWriter.Bounds bounds,
        Set<ConnectionWriter> writers) {
    private static final AttributeKey<GuardedConnection> GUARDED =
            AttributeKey.valueOf(ListenerServices.class, "guarded");

    /**
     * A connection to a Unix socket.
     *
     * @param uid of the peer process
     */
    public record UnixConnection(NetSocket socket, int uid, GuardedConnection guarded) {}

    /** Listens on a Unix socket; the handler gets connections of admitted users. */
    public CompletionStage<NetServer> listen(Path socket, Consumer<UnixConnection> handler) {
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

    private void handleConnection(NetSocket connection, Consumer<UnixConnection> handler) {
        Channel channel = channel(connection);
        try {
            int uid = unix.requireAllowedPeer(channel);
            GuardedConnection guarded = connectionGuard.neighbour(UnixSockets.nameOf(uid), why -> cut(channel));
            keep(channel, guarded);
            handler.accept(new UnixConnection(connection, uid, guarded));
        } catch (BrigException refusal) {
            connection.write(Buffer.buffer(Json.writeLine(Problem.line(refusal))));
            connection.close();
        }
    }

    /** Attaches the guarded connection to its channel, until that is closed. */
    static void keep(Channel channel, GuardedConnection guarded) {
        channel.attr(GUARDED).set(guarded);
        // On the channel, since a WebSocket upgrade replaces Vert.x's own close handler.
        var _ = channel.closeFuture().addListener(closed -> guarded.leave());
    }

    /** The guarded connection of a channel. */
    public static GuardedConnection guarded(Channel channel) {
        return Objects.requireNonNull(channel.attr(GUARDED).get(), "each connection is guarded");
    }

    /** Closes at once, dropping queued data. */
    static void cut(Channel channel) {
        // Not from the pipeline's end: Vert.x would wait there until queued data is sent.
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

    /** Ends the connection when its token becomes invalid. @return to be run when it is gone */
    public Runnable watch(Access access, ConnectionWriter writer) {
        return tokens().watch(access, why -> {
            var _ = writer.leave(why.code());
        });
    }

    public ConnectionWriter writer(NetSocket connection) {
        return writer(channel(connection), why -> Unpooled.EMPTY_BUFFER);
    }

    /** @param lastMessage creates the last message of the protocol */
    public ConnectionWriter writer(Channel channel, Function<ErrorCode, ?> lastMessage) {
        Turns.readOnce(channel);
        ConnectionWriter writer = new ConnectionWriter(channel, bounds, timers, counters, lastMessage);
        writers.add(writer);
        var _ = channel.closeFuture().addListener(closed -> writers.remove(writer));
        return writer;
    }

    /** Ends all connections for that reason. @return completes when they were told, at the latest after that time */
    public CompletionStage<Void> leaveAll(ErrorCode why, long leaveMs) {
        CompletableFuture<Void> late = new CompletableFuture<>();
        timers.after(leaveMs, () -> late.complete(null));
        CompletableFuture<?>[] left = List.copyOf(writers).stream()
                .map(writer -> {
                    CompletableFuture<Void> one = new CompletableFuture<>();
                    var _ = writer.leave(why).addListener(written -> one.complete(null));
                    return one;
                })
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.anyOf(late, CompletableFuture.allOf(left)).thenApply(done -> null);
    }

    /** The Netty channel of an HTTP request. */
    public static Channel channel(HttpServerRequest request) {
        return ((ConnectionBase) request.connection()).channel();
    }

    private static Channel channel(NetSocket connection) {
        return ((NetSocketInternal) connection).channelHandlerContext().channel();
    }
}
