package brig.gateway.listener;

import brig.gateway.auth.Access;
import brig.gateway.connection.Attachment;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.Problem;
import brig.gateway.connection.TextSink;
import brig.gateway.connection.WebSocketFraming;
import brig.gateway.limits.GuardedConnection;
import brig.gateway.session.Session;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
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
 * WebSockets, subprotocol {@code brig.v1}: a text message holds one or more whole lines. One kind carries one session,
 * the other any number of them. Where no token came with the upgrade, the first message brings it.
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
     * One session on its connection.
     *
     * @param access as it counts in that session; nobody where the first message brings the token
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

    /** Many sessions on one connection. */
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
            // They stay as long as the connection does, and take a tenth of its memory.
            request.headers().clear();
            socket.binaryMessageHandler(message -> socket.close((short) UNSUPPORTED_DATA, "text messages only"));
            GuardedConnection guarded = ListenerServices.guarded(channel);
            guarded.await(GuardedConnection.Wait.AUTH);
            opened.handle(socket, listeners.writer(channel, WebSockets::close), guarded);
        });
    }

    /** What an upgraded connection becomes. */
    @FunctionalInterface
    private interface Opened {
        void handle(ServerWebSocket socket, ConnectionWriter writer, GuardedConnection guarded);
    }

    /** Closes with the code that tells the client whether to come back. */
    private static void refuse(ConnectionWriter writer, TextSink sink, BrigException refusal) {
        sink.refuse(refusal);
        writer.finish(close(refusal.code()));
    }

    /** The same to who has not said who it is: Vert.x would wait for its close frame, and a full queue for its reading. */
    private static void end(ConnectionWriter writer, TextSink sink, BrigException why) {
        refuse(writer, sink, why);
        writer.cut();
    }

    private static CloseWebSocketFrame close(ErrorCode code) {
        return new CloseWebSocketFrame(code.closeCode(), code.name());
    }

    /** Reads the lines of a text message: one that is bad is refused, and those after it are read. */
    private static void readLines(String text, Consumer<Fields> handler, Consumer<BrigException> refuser) {
        byte[] lines = (text + "\n").getBytes(StandardCharsets.UTF_8);
        new LineDecoder(Limits.MESSAGE_BYTES_MAX, new LineDecoder.Sink() {
                    @Override
                    public void handleLine(byte[] bytes, int offset, int length) {
                        try {
                            handler.accept(new Fields(Json.parseObject(bytes, offset, length)));
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

    /** A connection that carries one session. State owned by the event loop. */
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

        /** Before authentication a refusal ends the connection, after it, it is only said. */
        private void handleRefusal(BrigException refusal) {
            if (attachment != null) {
                sink.refuse(refusal);
                sink.flush();
            } else if (!writer.isFinished()) {
                refuse(writer, sink, refusal);
            }
        }

        private void handleMessage(Fields message) {
            if (writer.isFinished()) {
                return;
            }
            if (attachment != null) {
                attachment.handleMessage(message);
                return;
            }
            String token = message.text("auth");
            if (token == null) {
                throw new BrigException(ErrorCode.ATTACH_AUTH_MISSING, "the first message must be {\"auth\": token}");
            }
            Access given = listeners.tokens().access(token);
            Access here = given.in(session.spawn());
            guarded.becomeKnown(given.isAdmin());
            attach(here, Attachment.Options.read(message, "websocket"));
        }
    }

    /** A connection that carries many sessions. State owned by the event loop. */
    private final class Multiplex {
        private final ConnectionWriter writer;
        private final TextSink sink;
        private final GuardedConnection guarded;
        private final Map<String, Attachment> attachments = new HashMap<>();
        /** What counts for every session that it reaches. */
        private Access access;

        private Runnable unwatch;

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
                attachments.values().forEach(Attachment::close);
                attachments.clear();
            });
        }

        /** With the token of the connection all of it ends. */
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

        private void handleLine(Fields line) {
            try {
                handleMessage(line);
            } catch (BrigException refusal) {
                Map<String, Object> answer = TextSink.errorLine(refusal.code(), refusal.getMessage());
                answer.putAll(Problem.hints(refusal));
                if (line.asMap().get("id") instanceof String id) {
                    answer.put("id", id);
                }
                sink.writeLine(answer);
            }
        }

        private void handleMessage(Fields message) {
            if (message.has("auth")) {
                access = listeners.tokens().access(message.requiredText("auth"));
                if (access.role() != null) {
                    guarded.becomeKnown(access.isAdmin());
                }
                unwatch.run();
                unwatch = watch();
                return;
            }
            String action = message.requiredText("action");
            if (action.equals("ping")) {
                sink.writeLine(Map.of("type", "pong"));
                return;
            }
            Session session = listeners.sessions().find(message.requiredText("id"));
            String spawnId = session.spawn().spawnId();
            if (action.equals("subscribe")) {
                subscribe(session, spawnId, message);
                return;
            }
            Attachment attachment = attachments.get(spawnId);
            if (attachment == null) {
                throw new BrigException(ErrorCode.UNAUTHENTICATED, "this connection is not subscribed to the session");
            }
            switch (action) {
                case "unsubscribe" -> drop(spawnId);
                case "send" -> attachment.handleMessage(userMessage(message));
                default -> attachment.handleMessage(new Fields(Map.of("action", action)));
            }
        }

        private static Fields userMessage(Fields sent) {
            Map<String, @Nullable Object> message = new HashMap<>();
            message.put("role", "user");
            message.put("content", sent.requiredText("content"));
            message.put("message_id", sent.text("message_id"));
            return new Fields(message);
        }

        private void subscribe(Session session, String spawnId, Fields message) {
            if (attachments.containsKey(spawnId)) {
                throw Fields.invalid("id", "is subscribed to already on this connection");
            }
            TextSink named = new TextSink(
                    writer,
                    WebSocketFraming.TEXT,
                    ("{\"type\":\"session\",\"spawn_id\":\"" + spawnId + "\"}\n").getBytes(StandardCharsets.US_ASCII),
                    () -> drop(spawnId));
            String own = message.text("token");
            Access given = own == null ? access : listeners.tokens().access(own);
            Access here = given.in(session.spawn());
            guarded.becomeKnown(given.isAdmin());
            Attachment attachment =
                    new Attachment(session, here, Attachment.Options.read(message, "websocket"), named, writer);
            attachments.put(spawnId, attachment);
            // What lives by the token of the connection ends with that.
            attachment.begin(
                    own == null
                            ? () -> {}
                            : listeners.tokens().watch(given, why -> handleRevoked(spawnId, named, why)));
        }

        /** The token of one subscription counts no more: that one ends. */
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
