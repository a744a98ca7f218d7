package brig.loadtests.conformance;

import brig.loadtests.client.Scale;
import brig.loadtests.client.Target;
import brig.loadtests.client.WorkerPlace;
import brig.loadtests.product.Brig;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.frame.AttachOptions;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.refusal.ErrorAnswer;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * As much of a server as the kit asks for, in this process and with at most one defect: HTTP, server-sent events,
 * both WebSockets, and a Unix socket for each session. What it says over HTTP is in {@link MiniHttp}.
 */
final class MiniServer implements Target.Limited, Target.Control {
    static final int MESSAGE_BYTES_MAX = 32 * 1024;
    static final long AUTH_TIMEOUT_MS = 1_500;
    static final long HEARTBEAT_MS = 250;
    private static final long SLOW_READER_MS = 1500;
    private static final Scale SCALE = new Scale(
            2_500,
            HEARTBEAT_MS,
            AUTH_TIMEOUT_MS,
            SLOW_READER_MS,
            60_000,
            300_000,
            600_000,
            MiniSession.READERS_MAX,
            MESSAGE_BYTES_MAX,
            53);

    private final Defect defect;
    private final MiniLimits limits;
    private final MiniSpawns spawns = new MiniSpawns(this);
    private final String admin = Ids.newToken();
    private final Path folder = Files.createTempDirectory("brig-mini-");
    private final ServerSocketChannel http =
            ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final Map<String, MiniSession> sessions = new ConcurrentHashMap<>();
    private final AtomicInteger spawned = new AtomicInteger();
    private final List<ServerSocketChannel> unix = new CopyOnWriteArrayList<>();
    private final Set<MiniChannel> channels = ConcurrentHashMap.newKeySet();
    /** What comes when the server is closed is forgotten. */
    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(
            1, work -> Thread.ofPlatform().daemon().unstarted(work), new ThreadPoolExecutor.DiscardPolicy());

    MiniServer(Defect defect) throws IOException {
        this(defect, Map.of());
    }

    private MiniServer(Defect defect, Map<String, Long> limits) throws IOException {
        this.defect = defect;
        this.limits = new MiniLimits(defect, limits);
        MiniHttp outside = new MiniHttp(this, false);
        MiniHttp inside = new MiniHttp(this, defect != Defect.WANTS_TOKEN_OF_NEIGHBOURS);
        accept(http, outside::serve);
        accept(listen(httpSocket()), inside::serve);
        accept(listen(spawnerSocket()), this::attach);
        var _ = timers.scheduleAtFixedRate(() -> channels.forEach(this::checkSlow), 50, 50, TimeUnit.MILLISECONDS);
    }

    private void checkSlow(MiniChannel channel) {
        boolean atOnce = defect == Defect.CUTS_THE_SLOW_AT_ONCE;
        if (defect != Defect.NEVER_CUTS && channel.isStalled(limits.slowReaderMs())) {
            channel.leave();
            if (atOnce || channel.isStalled(2 * limits.slowReaderMs())) {
                channel.close();
            }
        }
    }

    @Override
    public Target target() throws IOException {
        int port = ((InetSocketAddress) http.getLocalAddress()).getPort();
        return new Target(() -> URI.create("http://127.0.0.1:" + port), admin, "shell", WorkerPlace.HERE, SCALE, this);
    }

    @Override
    public Target.Limited limited(Map<String, Long> of) throws IOException {
        return new MiniServer(defect, of);
    }

    @Override
    public void loseRecord(String spawnId) {
        session(spawnId).loseRecord();
    }

    Defect defect() {
        return defect;
    }

    MiniLimits limits() {
        return limits;
    }

    MiniSpawns spawns() {
        return spawns;
    }

    String admin() {
        return admin;
    }

    /** A new session, which listens on its socket. */
    MiniSession add() throws IOException {
        int number = spawned.incrementAndGet();
        String id = "spn_%024d".formatted(number);
        MiniSession session = new MiniSession(id, folder.resolve("s" + number).toString(), defect);
        sessions.put(id, session);
        accept(listen(Path.of(session.socket)), client -> {
            MiniCaptain captain = new MiniCaptain(this, client, MiniCaptain.Kind.UNIX, session);
            captain.readLines();
            drain(client);
            captain.gone();
        });
        return session;
    }

    /** How many have not ended. */
    int live() {
        return (int)
                sessions.values().stream().filter(session -> !session.ended).count();
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
                    MiniChannel channel = new MiniChannel(server.accept(), channels.size() + 1);
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
        boolean good = token.equals(session.watcherToken)
                || (other && defect == Defect.ACCEPTS_TOKEN_OF_ANOTHER)
                || (token.isEmpty() && defect == Defect.ACCEPTS_NO_TOKEN)
                || (!token.isEmpty() && defect == Defect.ACCEPTS_BAD_TOKEN)
                || token.equals(admin);
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

    private ServerSocketChannel listen(Path socket) throws IOException {
        ServerSocketChannel server =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
        unix.add(server);
        return server;
    }

    @Override
    public Path spawnerSocket() {
        return folder.resolve("spawner");
    }

    @Override
    public Path httpSocket() {
        return folder.resolve("http");
    }

    private void attach(MiniChannel channel) throws IOException {
        BrigException full = limits.connection(channel.open);
        if (full != null) {
            if (defect != Defect.CLOSES_THE_SURPLUS_WITHOUT_A_WORD) {
                channel.write(text(JsonObject.of(ErrorAnswer.of(full))) + "\n");
            }
            return;
        }
        JsonObject request = JsonObject.read(channel.line().getBytes(StandardCharsets.UTF_8));
        String id = request.text("id", "");
        if (!sessions.containsKey(id)) {
            BrigException unknown = new BrigException(ErrorCode.NOT_FOUND, "no such session");
            channel.write(text(JsonObject.of(ErrorAnswer.of(unknown))) + "\n");
            return;
        }
        MiniSession session = session(id);
        MiniCaptain captain = new MiniCaptain(this, channel, MiniCaptain.Kind.UNIX, session);
        captain.attach(
                session,
                session.captainToken,
                defect == Defect.ATTACHES_AT_THE_BEGINNING ? AttachOptions.NONE : request.as(AttachOptions.class));
        captain.readLines();
        drain(channel);
        captain.gone();
    }

    static String text(JsonObject line) {
        return new String(Json.write(line), StandardCharsets.UTF_8);
    }

    /** Reads until the client has closed: to close before it would throw away what it was told. */
    static void drain(MiniChannel client) throws IOException {
        client.input().transferTo(OutputStream.nullOutputStream());
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
