package brig.loadtests.conformance;

import brig.loadtests.product.Brig;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import brig.protocol.Ids;
import brig.protocol.Json;
import brig.protocol.Limits;
import brig.protocol.SpawnRequest;
import brig.protocol.StreamPosition;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * As much of a server as the kit asks for, in this process and with at most one defect: HTTP, server-sent events,
 * both WebSockets, and a Unix socket for each session.
 */
final class MiniServer implements AutoCloseable, Target.Control {
    static final int MESSAGE_BYTES_MAX = 32 * 1024;
    static final long AUTH_TIMEOUT_MS = 600;
    private static final long HEARTBEAT_MS = 250;
    private static final long SLOW_READER_MS = 1500;
    private static final Scale SCALE = new Scale(2_500, HEARTBEAT_MS, AUTH_TIMEOUT_MS, SLOW_READER_MS, 60_000, 300_000,
            600_000, MESSAGE_BYTES_MAX, 53);

    private final Defect defect;
    private final String admin = Ids.newToken();
    private final Path folder = Files.createTempDirectory("brig-mini-");
    private final ServerSocketChannel http = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final Map<String, MiniSession> sessions = new ConcurrentHashMap<>();
    private final AtomicInteger spawned = new AtomicInteger();
    private final List<ServerSocketChannel> unix = new CopyOnWriteArrayList<>();
    private final Set<MiniChannel> channels = ConcurrentHashMap.newKeySet();
    /** What comes when the server is closed is forgotten. */
    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1,
            work -> Thread.ofPlatform().daemon().unstarted(work), new ThreadPoolExecutor.DiscardPolicy());

    MiniServer(Defect defect) throws IOException {
        this.defect = defect;
        accept(http, this::serve);
        var _ = timers.scheduleAtFixedRate(() -> channels.forEach(this::checkSlow), 50, 50, TimeUnit.MILLISECONDS);
    }

    private void checkSlow(MiniChannel channel) {
        boolean atOnce = defect == Defect.CUTS_THE_SLOW_AT_ONCE;
        if (defect != Defect.NEVER_CUTS && channel.isStalled(SLOW_READER_MS)) {
            channel.leave();
            if (atOnce || channel.isStalled(2 * SLOW_READER_MS)) {
                channel.close();
            }
        }
    }

    Target target() throws IOException {
        int port = ((InetSocketAddress) http.getLocalAddress()).getPort();
        return new Target(() -> URI.create("http://127.0.0.1:" + port), admin, "shell", SCALE, this);
    }

    Defect defect() {
        return defect;
    }

    void after(long ms, Runnable work) {
        var _ = timers.schedule(work, ms, TimeUnit.MILLISECONDS);
    }

    /** What is done with a connection. */
    private interface Handler {
        void handle(MiniChannel channel) throws IOException;
    }

    private void accept(ServerSocketChannel server, Handler handler) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                while (true) {
                    MiniChannel channel = new MiniChannel(server.accept());
                    channels.add(channel);
                    Thread.ofPlatform().daemon().start(() -> run(channel, handler));
                }
            } catch (IOException _) {
                // the server is closed
            }
        });
    }

    private void run(MiniChannel channel, Handler handler) {
        try {
            handler.handle(channel);
        } catch (IOException | UncheckedIOException _) {
            // the client is gone
        } finally {
            channel.close();
            channels.remove(channel);
        }
    }

    MiniSession session(String id) {
        MiniSession session = sessions.get(id);
        if (session == null || (session.ended && defect == Defect.FORGETS_ENDED_STREAMS)) {
            throw new BrigException(ErrorCode.NOT_FOUND, "no session " + id);
        }
        return session;
    }

    /** Whether that token makes a captain of the session; refuses one that is not of it. */
    boolean role(MiniSession session, String token) {
        boolean other = sessions.values().stream().anyMatch(one -> one.captainToken.equals(token));
        boolean good = token.equals(session.watcherToken) || (other && defect == Defect.ACCEPTS_TOKEN_OF_ANOTHER)
                || (token.isEmpty() && defect == Defect.ACCEPTS_NO_TOKEN)
                || (!token.isEmpty() && defect == Defect.ACCEPTS_BAD_TOKEN) || token.equals(admin);
        if (token.equals(session.captainToken)) {
            return true;
        }
        boolean others = sessions.values().stream().anyMatch(one -> one.watcherToken.equals(token)) || other;
        if (!good && others && defect == Defect.TELLS_WHOSE_TOKEN_IT_IS) {
            throw new BrigException(ErrorCode.FORBIDDEN, "the token of another session");
        }
        if (!good) {
            throw new BrigException(ErrorCode.UNAUTHENTICATED, "wrong token");
        }
        return false;
    }

    private void serve(MiniChannel channel) throws IOException {
        String[] request = channel.line().split(" ", 3);
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = channel.line(); !line.isEmpty(); line = channel.line()) {
            headers.put(line.substring(0, line.indexOf(':')), line.substring(line.indexOf(':') + 1).trim());
        }
        try {
            route(channel, request[0], request[1], headers);
        } catch (BrigException refusal) {
            int status = refusal.code().httpStatus();
            answer(channel, status, defect == Defect.FAULT_WITHOUT_PROBLEM ? "application/json" : "application/problem+json",
                    Json.write(Map.of("status", (long) status, "code", refusal.code().name(), "detail", refusal.getMessage())));
        }
        channel.finish();
        drain(channel);
    }

    private static void answer(MiniChannel channel, int status, String type, byte[] body) throws IOException {
        channel.write("HTTP/1.1 " + status + " X\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length + "\r\n\r\n"
                + new String(body, StandardCharsets.UTF_8));
    }

    private void route(MiniChannel channel, String method, String target, Map<String, String> headers) throws IOException {
        if (defect != Defect.ANSWERS_ANY_HOST && (!headers.get("Host").equals("127.0.0.1") || headers.containsKey("Origin"))) {
            throw new BrigException(ErrorCode.FORBIDDEN, "not for you");
        }
        String token = headers.getOrDefault("Authorization", "Bearer ").substring("Bearer ".length());
        String[] path = (target + "?").split("\\?", 3)[0].substring("/api/v1/".length()).split("/");
        String query = (target + "?").split("\\?", 3)[1];
        if (path[0].equals("ws")) {
            upgrade(channel);
            converse(new MiniCaptain(this, channel, MiniCaptain.Kind.MANY, null));
        } else if (method.equals("POST")) {
            spawn(channel, Integer.parseInt(headers.get("Content-Length")));
        } else if (path.length == 1) {
            throw new BrigException(ErrorCode.METHOD_NOT_ALLOWED, method);
        } else {
            session(channel, method, path, query, token, headers);
        }
    }

    private void session(MiniChannel channel, String method, String[] path, String query, String token,
            Map<String, String> headers) throws IOException {
        MiniSession session = session(path[1]);
        if (path.length == 3 && path[2].equals("attach")) {
            attach(channel, session, token, query);
            return;
        }
        role(session, token);
        if (path.length == 3) {
            boolean empty = headers.containsKey("Last-Event-ID") && defect == Defect.EMPTY_HEADER_WINS;
            stream(channel, session, headers.getOrDefault("Last-Event-ID", ""),
                    empty ? "" : query.replace("last_event_id=", ""));
        } else {
            if (method.equals("DELETE")) {
                session.terminate();
            }
            answer(channel, 200, "application/json", session.view());
        }
    }

    private void spawn(MiniChannel channel, int bytes) throws IOException {
        byte[] body = channel.input().readNBytes(bytes);
        if (bytes > MESSAGE_BYTES_MAX) {
            throw new BrigException(ErrorCode.BODY_TOO_LARGE, "too large");
        }
        Fields request = new Fields(Json.parseObject(body)).only(SpawnRequest.FIELDS);
        if (!request.object("agent_config").requiredText("name").equals("shell")) {
            throw new BrigException(ErrorCode.UNKNOWN_AGENT, "no such agent");
        }
        int number = spawned.incrementAndGet();
        String id = "spn_%024d".formatted(number);
        MiniSession session = new MiniSession(id, folder.resolve("s" + number).toString(), defect);
        sessions.put(id, session);
        ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(session.socket));
        unix.add(socket);
        accept(socket, client -> {
            MiniCaptain captain = new MiniCaptain(this, client, MiniCaptain.Kind.UNIX, session);
            captain.readLines();
            drain(client);
            captain.gone();
        });
        if (request.has("prompt")) {
            session.input(request.requiredText("prompt"));
        }
        session.start(request.flag("once"));
        Map<String, Object> answer = new LinkedHashMap<>(Map.of("spawn_id", id, "task_id", id, "auth_token", session.captainToken,
                "watcher_token", session.watcherToken, "io_socket", session.socket, "status", "spawned"));
        answer(channel, 201, "application/json", Json.write(answer));
    }

    /** Reads until the client has closed: to close before it would throw away what it was told. */
    private static void drain(MiniChannel client) throws IOException {
        client.input().transferTo(OutputStream.nullOutputStream());
    }

    private static void upgrade(MiniChannel channel) throws IOException {
        channel.write("HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
    }

    private static void converse(MiniCaptain captain) throws IOException {
        try {
            captain.readMessages();
        } finally {
            captain.gone();
        }
    }

    private void attach(MiniChannel channel, MiniSession session, String token, String query) throws IOException {
        Fields wish = new Fields(Map.of());
        if (!token.isEmpty()) {
            role(session, token);
        }
        if (query.startsWith("from=")) {
            try {
                wish = new Fields(Map.of("from", Long.parseLong(query.substring("from=".length()))));
            } catch (NumberFormatException e) {
                throw Fields.invalid("from", "must be a number");
            }
            wish.number("from", 1, Limits.SEQ_MAX, 1);
        }
        if (query.equals("role=watcher")) {
            wish = new Fields(Map.of("role", "watcher"));
        }
        upgrade(channel);
        MiniCaptain captain = new MiniCaptain(this, channel, MiniCaptain.Kind.SINGLE, session);
        if (!token.isEmpty()) {
            captain.attach(session, token, wish);
        }
        converse(captain);
    }

    private void stream(MiniChannel channel, MiniSession session, String header, String query) throws IOException {
        boolean queryFirst = defect == Defect.QUERY_WINS && !query.isEmpty();
        String text = header.isEmpty() || queryFirst ? query : header;
        boolean earliest = text.isEmpty() || text.equals("earliest") || defect == Defect.IGNORES_LAST_EVENT_ID;
        StreamPosition none = new StreamPosition(session.epoch, 0);
        StreamPosition position = earliest ? none : StreamPosition.parse(text).orElse(none);
        if (!earliest && StreamPosition.parse(text).isEmpty() && defect != Defect.TAKES_ANY_ID) {
            throw Fields.invalid("last_event_id", "is none");
        }
        boolean foreign = !position.epoch().equals(session.epoch) && defect != Defect.IGNORES_EPOCHS;
        if (foreign && position.seq() >= Limits.SEQ_MAX && defect != Defect.COUNTS_BEYOND_THE_BOUND) {
            throw Fields.invalid("last_event_id", "is beyond the bound");
        }
        long from = foreign ? 1 : MiniReader.begin(session, position.seq() + 1);
        if (session.ended && from > session.lastSeq() && defect != Defect.NEVER_ANSWERS_204) {
            channel.write("HTTP/1.1 204 X\r\n\r\n");
            return;
        }
        channel.write("HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nCache-Control: "
                + (defect == Defect.STREAM_MAY_BE_CACHED ? "public" : "no-cache, no-transform")
                + "\r\nX-Accel-Buffering: no\r\nBrig-Resumed-From: " + session.epoch + "-" + (from - 1) + "\r\n\r\n");
        MiniEvents events = new MiniEvents(channel, session);
        if (foreign && defect != Defect.HIDES_NEW_EPOCH) {
            events.gap("{\"type\":\"gap\",\"from\":" + (position.seq() + 1) + ",\"to\":" + (position.seq() + 1)
                    + ",\"reason\":\"epoch_changed\",\"epoch\":\"" + session.epoch + "\"}", 0);
        }
        MiniReader reader = new MiniReader(session, from, false, events);
        reader.start();
        beat(channel, events);
        drain(channel);
        reader.stop();
    }

    private void beat(MiniChannel channel, MiniEvents events) {
        after(HEARTBEAT_MS, () -> {
            if (channel.isOpen() && !channel.isStalled(1) && defect != Defect.NEVER_BEATS) {
                try {
                    events.event(":\n\n");
                    beat(channel, events);
                } catch (IOException gone) {
                    channel.close();
                }
            }
        });
    }

    @Override
    public void restart() {
        sessions.values().forEach(MiniSession::handleRestart);
        channels.forEach(MiniChannel::close);
    }

    @Override
    public void stop() {
        channels.forEach(MiniChannel::stop);
        sessions.values().forEach(MiniSession::wake);
    }

    @Override
    public void close() throws IOException {
        timers.shutdownNow();
        http.close();
        for (ServerSocketChannel socket : unix) {
            socket.close();
        }
        channels.forEach(MiniChannel::close);
        Brig.delete(folder);
    }
}
