package brig.gateway.listener;

import brig.gateway.auth.Access;
import brig.gateway.connection.Attachment;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.TextSink;
import brig.gateway.connection.WebSocketFraming;
import brig.gateway.limits.GuardedConnection;
import brig.gateway.session.Followed;
import brig.gateway.session.Session;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.Role;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.frame.MultiplexLine;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.LineDecoder;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * WebSockets with subprotocol {@code brig.v1}: a text message holds one or more whole lines. One kind carries a single
 * session, the other many. If the upgrade had no token, the first message must bring it.
 *
 * <p>Decision 0007.
 */
public final class WebSockets {
    public static final String SUBPROTOCOL = "brig.v1";
    private static final int NORMAL_CLOSURE = 1000;
    private static final int UNSUPPORTED_DATA = 1003;

    private final ListenerServices listeners;

    public WebSockets(ListenerServices listeners) {
        this.listeners = listeners;
    }

    /**
     * Attaches a connection to one session.
     *
     * @param access the access within that session; nobody if the first message brings the token
     */
    public void attach(HttpServerRequest request, Session session, Access access, Attachment.Options options) {
        session.requireAttachable();
        if (!access.isNobody()) {
            ListenerServices.guarded(ListenerServices.channel(request)).becomeKnown(false);
        }
        upgrade(request, (socket, writer, guarded) -> {
            Single connection = new Single(session, socket, writer, guarded);
            if (!access.isNobody()) {
                connection.attach(access, options);
            }
        });
    }

    /** Opens a multiplexed connection. */
    public void multiplex(HttpServerRequest request, Access access) {
        upgrade(request, (socket, writer, guarded) -> new Multiplex(access, socket, writer, guarded));
    }

    private void upgrade(HttpServerRequest request, Opened opened) {
        String offered = request.getHeader("Sec-WebSocket-Protocol");
        if (offered != null
                && Arrays.stream(offered.split(",", -1))
                        .noneMatch(name -> name.trim().equals(SUBPROTOCOL))) {
            throw new BrigException(
                    ErrorCode.INVALID_FIELD, "of the subprotocols only " + SUBPROTOCOL + " is spoken here");
        }
        if (!"websocket".equalsIgnoreCase(request.getHeader("Upgrade"))) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "this path is a WebSocket: send an upgrade request");
        }
        var channel = ListenerServices.channel(request);
        request.toWebSocket().onSuccess(socket -> {
            // Headers live as long as the connection and use a tenth of its memory.
            request.headers().clear();
            socket.binaryMessageHandler(message -> socket.close((short) UNSUPPORTED_DATA, "text messages only"));
            GuardedConnection guarded = ListenerServices.guarded(channel);
            guarded.await(GuardedConnection.Wait.AUTH);
            opened.handle(socket, listeners.writer(channel, WebSockets::close), guarded);
        });
    }

    /** Handles an upgraded connection. */
    @FunctionalInterface
    private interface Opened {
        void handle(ServerWebSocket socket, ConnectionWriter writer, GuardedConnection guarded);
    }

    /** Closes with the code that tells the client whether to reconnect. */
    private static void refuse(ConnectionWriter writer, TextSink sink, BrigException refusal) {
        sink.refuse(refusal);
        writer.finish(close(refusal.code()));
    }

    /** The same for an unauthenticated client, without waiting for its close frame or for a full queue to drain. */
    private static void end(ConnectionWriter writer, TextSink sink, BrigException why) {
        refuse(writer, sink, why);
        writer.cut();
    }

    private static CloseWebSocketFrame close(ErrorCode code) {
        return new CloseWebSocketFrame(code.closeCode(), code.name());
    }

    /** Reads the lines of a text message; a bad line is refused, later ones are still read. */
    private static void readLines(String text, Consumer<JsonObject> handler, Consumer<BrigException> refuser) {
        byte[] lines = (text + "\n").getBytes(StandardCharsets.UTF_8);
        new LineDecoder(Limits.MESSAGE_BYTES_MAX, new LineDecoder.Sink() {
                    @Override
                    public void handleLine(byte[] bytes, int offset, int length) {
                        try {
                            handler.accept(JsonObject.read(bytes, offset, length));
                        } catch (BrigException refusal) {
                            refuser.accept(refusal);
                        }
                    }

                    @Override
                    public void handleBadLine(ErrorCode code) {
                        refuser.accept(new BrigException(code, "the line was refused"));
                    }
                })
                .decode(lines, 0, lines.length);
    }

    /** A connection with a single session. Owned by the event loop. */
    private final class Single {
        private final Session session;
        private final ConnectionWriter writer;
        private final TextSink sink;
        private final GuardedConnection guarded;
        private @Nullable Attachment attachment;

        Single(Session session, ServerWebSocket socket, ConnectionWriter writer, GuardedConnection guarded) {
            this.session = session;
            this.writer = writer;
            this.guarded = guarded;
            guarded.endsWith(this::end);
            this.sink = new TextSink(
                    writer,
                    WebSocketFraming.TEXT,
                    new byte[0],
                    () -> writer.finish(new CloseWebSocketFrame(NORMAL_CLOSURE, "ended")));
            socket.textMessageHandler(this::handleText);
            socket.closeHandler(nothing -> {
                if (attachment != null) {
                    attachment.close();
                }
            });
        }

        void attach(Access access, Attachment.Options options) {
            try {
                attachment = new Attachment(session, access, options, sink, writer);
                attachment.begin(listeners.watch(access, writer));
            } catch (BrigException refusal) {
                handleRefusal(refusal);
            }
        }

        private void end(BrigException why) {
            if (!writer.isFinished()) {
                WebSockets.end(writer, sink, why);
            } else {
                writer.cut();
            }
        }

        private void handleText(String text) {
            readLines(text, this::handleMessage, this::handleRefusal);
        }

        /** Sends a refusal; before authentication it also ends the connection. */
        private void handleRefusal(BrigException refusal) {
            if (attachment != null) {
                sink.refuse(refusal);
                sink.flush();
            } else if (!writer.isFinished()) {
                refuse(writer, sink, refusal);
            }
        }

        private void handleMessage(JsonObject message) {
            if (writer.isFinished()) {
                return;
            }
            if (attachment != null) {
                attachment.handleMessage(message);
                return;
            }
            if (!message.has("auth")) {
                throw new BrigException(ErrorCode.ATTACH_AUTH_MISSING, "the first message must be {\"auth\": token}");
            }
            CaptainLine.Token token = message.as(CaptainLine.Token.class);
            Access given = listeners.tokens().access(token.auth());
            Access here = given.in(session.spawn());
            guarded.becomeKnown(given.isAdmin());
            attach(here, Attachment.Options.of(message.as(AttachOptions.class), "websocket"));
        }
    }

    /** A multiplexed connection. Owned by the event loop. */
    private final class Multiplex {
        private final ConnectionWriter writer;
        private final TextSink sink;
        private final GuardedConnection guarded;
        private final Map<String, Attachment> attachments = new HashMap<>();
        /** The default access for all sessions. */
        private Access access;

        private Runnable unwatch;
        private Runnable unfollowAsks = () -> {};
        private Runnable unfollowSessions = () -> {};

        Multiplex(Access access, ServerWebSocket socket, ConnectionWriter writer, GuardedConnection guarded) {
            this.access = access;
            this.writer = writer;
            this.guarded = guarded;
            guarded.endsWith(this::end);
            this.unwatch = watch();
            this.sink = new TextSink(writer, WebSocketFraming.TEXT, new byte[0], () -> {});
            socket.textMessageHandler(this::handleText);
            socket.closeHandler(nothing -> {
                unwatch.run();
                unfollow();
                attachments.values().forEach(Attachment::close);
                attachments.clear();
            });
        }

        /** The connection ends with its token. */
        private Runnable watch() {
            return listeners.watch(access, writer);
        }

        private void end(BrigException why) {
            WebSockets.end(writer, sink, why);
        }

        private void handleText(String text) {
            readLines(text, this::handleLine, sink::refuse);
            sink.flush();
        }

        private void handleLine(JsonObject line) {
            try {
                handleMessage(line);
            } catch (BrigException refusal) {
                sink.tell(ConnectionLine.Refused.of(refusal, line.text("id")));
            }
        }

        private void handleMessage(JsonObject message) {
            if (message.has("auth")) {
                handleAuth(message.as(CaptainLine.Token.class));
                return;
            }
            switch (message.as(MultiplexLine.class)) {
                case MultiplexLine.Ping _ -> sink.tell(new ConnectionLine.Pong());
                case MultiplexLine.FollowAsks wanted -> {
                    requireToken("asks");
                    unfollowAsks.run();
                    unfollowAsks = follow(listeners.sessions().followAsks(access, wanted.tree()));
                }
                case MultiplexLine.FollowSessions wanted -> {
                    requireToken("sessions");
                    if (access.role() == null) {
                        throw new BrigException(ErrorCode.FORBIDDEN, "the token of one session lists none");
                    }
                    unfollowSessions.run();
                    unfollowSessions = follow(listeners.sessions().followSessions(access, wanted.ended()));
                }
                case MultiplexLine.Ack ack -> {
                    Attachment attachment = attachments.get(ack.id());
                    if (attachment != null) {
                        attachment.handleAck(ack.seq());
                    }
                }
                case MultiplexLine.OfSession line -> handleLine(line);
            }
        }

        private void handleAuth(CaptainLine.Token token) {
            access = listeners.tokens().access(token.auth());
            if (access.role() != null) {
                guarded.becomeKnown(access.isAdmin());
            }
            unwatch.run();
            unwatch = watch();
            unfollow();
        }

        private void unfollow() {
            unfollowAsks.run();
            unfollowSessions.run();
        }

        private void requireToken(String what) {
            if (access.isNobody()) {
                throw new BrigException(
                        ErrorCode.ATTACH_AUTH_MISSING, what + " are followed with a token: {\"auth\": token}");
            }
            guarded.becomeKnown(access.isAdmin());
        }

        /** Follows under the connection's token, until it gets another one. */
        private <C> Runnable follow(Followed<C> followed) {
            return Follower.follow(followed, writer, sink, change -> sink.writeLine((Record) change), () -> {});
        }

        private void handleLine(MultiplexLine.OfSession line) {
            Session session = listeners.sessions().find(line.id());
            String spawnId = session.spawn().spawnId();
            switch (line) {
                case MultiplexLine.Subscribe wanted -> subscribe(session, spawnId, wanted);
                case MultiplexLine.Unsubscribe _ -> {
                    attachment(spawnId);
                    drop(spawnId);
                }
                case MultiplexLine.Send sent -> attachment(spawnId).handleUserMessage(sent.content(), sent.messageId());
                case MultiplexLine.AnswerAsk answer ->
                    attachment(spawnId)
                            .handleOrder(new CaptainLine.AnswerAsk(answer.askId(), answer.option(), answer.text()));
                case MultiplexLine.Keys keys -> attachment(spawnId).handleOrder(new CaptainLine.Keys(keys.data()));
                case MultiplexLine.Resize size ->
                    attachment(spawnId).handleOrder(new CaptainLine.Resize(size.cols(), size.rows()));
                case MultiplexLine.Cancel _ -> attachment(spawnId).handleOrder(new CaptainLine.Cancel());
                case MultiplexLine.Terminate _ -> attachment(spawnId).handleOrder(new CaptainLine.Terminate());
                case MultiplexLine.TakeControl _ -> attachment(spawnId).handleOrder(new CaptainLine.TakeControl());
                case MultiplexLine.ReleaseControl _ ->
                    attachment(spawnId).handleOrder(new CaptainLine.ReleaseControl());
            }
        }

        private Attachment attachment(String spawnId) {
            Attachment attachment = attachments.get(spawnId);
            if (attachment == null) {
                throw new BrigException(ErrorCode.UNAUTHENTICATED, "this connection is not subscribed to the session");
            }
            return attachment;
        }

        private void subscribe(Session session, String spawnId, MultiplexLine.Subscribe wanted) {
            if (attachments.containsKey(spawnId)) {
                throw BrigException.invalid("id", "is subscribed to already on this connection");
            }
            String own = wanted.token();
            Access given = own == null ? access : listeners.tokens().access(own);
            Access here = given.in(session.spawn());
            Attachment.Options options = Attachment.Options.of(wanted.options(), "websocket");
            if (wanted.windowBytes() > 0 && here.connectionRole() == Role.CAPTAIN && !options.watchOnly()) {
                throw BrigException.invalid("window_bytes", "is for watchers: it would pause the agent");
            }
            TextSink named = new TextSink(
                    writer,
                    WebSocketFraming.TEXT,
                    ("{\"type\":\"session\",\"spawn_id\":\"" + spawnId + "\"}\n").getBytes(StandardCharsets.US_ASCII),
                    wanted.windowBytes(),
                    () -> drop(spawnId));
            guarded.becomeKnown(given.isAdmin());
            Attachment attachment = new Attachment(session, here, options, named, writer);
            attachments.put(spawnId, attachment);
            // Subscriptions under the connection's token end with the connection.
            attachment.begin(
                    own == null
                            ? () -> {}
                            : listeners.tokens().watch(given, why -> handleRevoked(spawnId, named, why)));
        }

        /** The token of one subscription became invalid: ends that subscription. */
        private void handleRevoked(String spawnId, TextSink named, BrigException why) {
            if (attachments.containsKey(spawnId)) {
                drop(spawnId);
                named.refuse(why);
                named.flush();
            }
        }

        private void drop(String spawnId) {
            Attachment gone = attachments.remove(spawnId);
            if (gone != null) {
                gone.close();
            }
        }
    }
}
