package brig.gateway.listener;

import brig.gateway.auth.Access;
import brig.gateway.config.Paths;
import brig.gateway.connection.Attachment;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.TextSink;
import brig.gateway.limits.GuardedConnection;
import brig.gateway.session.Session;
import brig.gateway.spawn.SessionSocketOpener;
import brig.gateway.spawn.Spawn;
import brig.gateway.stream.Framing;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.LineDecoder;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Unix socket for each session, {@code <agents_dir>/<task_id>/io.sock}. The first line of a connection is {@code
 * {"auth":token}}, then it sends user messages and receives frames. Before authentication nothing reaches the session.
 * The socket stays for a while after the end, or until its task_id is used again, so that a late captain of a short
 * session still gets everything.
 *
 * <p>Decisions 0025, 0179.
 */
public final class SessionSockets implements SessionSocketOpener {
    private static final Logger log = LoggerFactory.getLogger(SessionSockets.class);

    private static final long LINGER_MS = 30_000;
    /** Adopted sessions in one turn, and the pause between turns. */
    private static final int TURN_MAX = 4;

    private static final long TURN_MS = 1;

    private final ListenerServices listeners;
    private final Paths paths;
    /** Sockets being opened, by spawn_id; opening or closing one again waits for that. */
    private final Map<String, CompletionStage<String>> opening = new HashMap<>();

    private final Map<String, ServerSocket> listening = new HashMap<>();
    /** Sockets of ended spawns, by path. */
    private final Map<Path, ServerSocket> lingering = new HashMap<>();

    /** Opens those of adopted sessions; filled before {@link #serve}. */
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    private boolean serving;

    /** A listening socket. Its file is removed first; the server closes after its last connection. */
    private static final class ServerSocket {
        private final Path socket;
        private @Nullable NetServer server;
        private int connections;
        private boolean removed;

        ServerSocket(Path socket) {
            this.socket = socket;
        }

        void checkDone() {
            if (removed && connections == 0 && server != null) {
                server.close();
                server = null;
            }
        }
    }

    public SessionSockets(ListenerServices listeners, Paths paths) {
        this.listeners = listeners;
        this.paths = paths;
    }

    @Override
    public CompletionStage<String> open(Spawn spawn) {
        CompletionStage<String> begun = opening.get(spawn.spawnId());
        if (begun != null) {
            return begun;
        }
        return serving ? begin(spawn) : beginLater(spawn);
    }

    private CompletionStage<String> beginLater(Spawn spawn) {
        CompletableFuture<String> opened = new CompletableFuture<>();
        opening.put(spawn.spawnId(), opened);
        waiting.add(() -> begin(spawn).whenComplete((socket, failure) -> {
            opening.remove(spawn.spawnId());
            if (failure == null) {
                opened.complete(socket);
            } else {
                opened.completeExceptionally(failure);
            }
        }));
        return opened;
    }

    private CompletionStage<String> begin(Spawn spawn) {
        Session session = listeners.sessions().of(spawn);
        session.expectCaptains();
        ServerSocket opened = new ServerSocket(paths.sessionSocket(spawn.taskId(), spawn.spawnId()));
        remove(lingering.get(opened.socket));
        try {
            CompletionStage<String> begun = listeners
                    .listen(opened.socket, caller -> new Connection(session, opened, caller))
                    .whenComplete((server, failure) -> opening.remove(spawn.spawnId()))
                    .thenApply(server -> {
                        opened.server = server;
                        listening.put(spawn.spawnId(), opened);
                        return opened.socket.toString();
                    });
            if (!begun.toCompletableFuture().isDone()) {
                opening.put(spawn.spawnId(), begun);
            }
            return begun;
        } catch (BrigException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    /**
     * Opens the sockets of adopted sessions, a few in each turn, and from now on each one at once. There may be hundreds,
     * while readers over HTTP wait.
     *
     * @return completes when they are open
     */
    public CompletionStage<Void> serve() {
        serving = true;
        CompletableFuture<?>[] all = opening.values().stream()
                .map(begun -> begun.toCompletableFuture().exceptionally(failure -> ""))
                .toArray(CompletableFuture<?>[]::new);
        openSome();
        return CompletableFuture.allOf(all);
    }

    private void openSome() {
        for (int i = 0; i < TURN_MAX && !waiting.isEmpty(); i++) {
            waiting.remove().run();
        }
        if (!waiting.isEmpty()) {
            listeners.timers().after(TURN_MS, this::openSome);
        }
    }

    @Override
    public String pathOf(String spawnId, String taskId) {
        return paths.sessionSocket(taskId, spawnId).toString();
    }

    @Override
    public void close(Spawn spawn) {
        ServerSocket ended = listening.remove(spawn.spawnId());
        CompletionStage<String> begun = opening.get(spawn.spawnId());
        if (begun != null) {
            var _ = begun.thenRun(() -> close(spawn));
        } else if (ended != null) {
            lingering.put(ended.socket, ended);
            listeners.timers().after(LINGER_MS, () -> remove(ended));
        }
    }

    @Override
    public void linger(Spawn spawn) {
        open(spawn).whenComplete((socket, failure) -> {
            if (failure == null) {
                close(spawn);
            } else {
                log.atWarn()
                        .addKeyValue("spawn_id", spawn.spawnId())
                        .log("has no session socket: {}", failure.getMessage());
            }
        });
    }

    /**
     * Removes sockets of ours without a listener, which a killed process left: the spawner socket, and those in the
     * folder of sessions. Otherwise a start that fails before it opens them would leave them.
     */
    public void sweep() {
        try {
            if (UnixSockets.isLeft(paths.spawner())) {
                Files.deleteIfExists(paths.spawner());
            }
        } catch (IOException e) {
            log.warn("{} could not be removed: {}", paths.spawner(), e.toString());
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(paths.agents())) {
            for (Path folder : folders) {
                Path socket = folder.resolve("io.sock");
                if (UnixSockets.isLeft(socket)) {
                    removeFile(socket);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            log.warn("cannot list {}: {}", paths.agents(), e.toString());
        }
    }

    private void remove(@Nullable ServerSocket ended) {
        if (ended == null || ended.removed) {
            return;
        }
        lingering.remove(ended.socket);
        ended.removed = true;
        removeFile(ended.socket);
        ended.checkDone();
    }

    /** Removes all socket files; the gateway stops. */
    public void removeAll() {
        listening.values().forEach(open -> removeFile(open.socket));
        lingering.keySet().forEach(SessionSockets::removeFile);
    }

    private static void removeFile(Path socket) {
        try {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(socket.getParent());
        } catch (IOException e) {
            log.warn("{} could not be removed: {}", socket, e.toString());
        }
    }

    /** One captain or watcher. Owned by the event loop. */
    private final class Connection implements LineDecoder.Sink {
        private final Session session;
        private final ServerSocket listening;
        private final ConnectionWriter writer;
        private final TextSink sink;
        private final GuardedConnection guarded;
        private @Nullable Attachment attachment;

        Connection(Session session, ServerSocket listening, ListenerServices.UnixConnection caller) {
            NetSocket socket = caller.socket();
            this.session = session;
            this.listening = listening;
            listening.connections++;
            this.writer = listeners.writer(socket);
            this.sink = new TextSink(writer, Framing.NONE, new byte[0], writer::finish);
            LineDecoder lines = new LineDecoder(Limits.MESSAGE_BYTES_MAX, this);
            this.guarded = caller.guarded();
            guarded.endsWith(this::refuse);
            guarded.await(GuardedConnection.Wait.AUTH);
            socket.handler(buffer -> {
                byte[] bytes = buffer.getBytes();
                lines.decode(bytes, 0, bytes.length);
            });
            socket.exceptionHandler(failure -> log.debug("session connection failed: {}", failure.toString()));
            socket.closeHandler(nothing -> handleClosed());
        }

        private void handleClosed() {
            if (attachment != null) {
                attachment.close();
            }
            listening.connections--;
            listening.checkDone();
        }

        @Override
        public void handleLine(byte[] bytes, int offset, int length) {
            if (writer.isFinished()) {
                return;
            }
            try {
                JsonObject message = JsonObject.read(bytes, offset, length);
                if (attachment == null) {
                    authenticate(message);
                } else {
                    attachment.handleMessage(message);
                }
            } catch (BrigException refusal) {
                refuse(refusal);
            }
        }

        private void authenticate(JsonObject message) {
            if (!message.has("auth")) {
                throw new BrigException(ErrorCode.ATTACH_AUTH_MISSING, "the first line must be {\"auth\": token}");
            }
            CaptainLine.Token token = message.as(CaptainLine.Token.class);
            Access given = listeners.tokens().access(token.auth());
            Access access = given.in(session.spawn());
            guarded.becomeKnown(given.isAdmin());
            Attachment.Options options = Attachment.Options.of(message.as(AttachOptions.class), "socket");
            attachment = new Attachment(session, access, options, sink, writer);
            attachment.begin(listeners.watch(access, writer));
        }

        @Override
        public void handleBadLine(ErrorCode code) {
            refuse(new BrigException(code, "the line was refused"));
        }

        /** Sends a refusal; before authentication it also ends the connection. */
        private void refuse(BrigException refusal) {
            sink.refuse(refusal);
            if (attachment == null) {
                writer.finish();
            } else {
                sink.flush();
            }
        }
    }
}
