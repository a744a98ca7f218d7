package brig.gateway.api;

import brig.gateway.auth.Access;
import brig.gateway.connection.Attachment;
import brig.gateway.connection.ByteRelay;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.Problem;
import brig.gateway.connection.TextSink;
import brig.gateway.http.Call;
import brig.gateway.http.Caller;
import brig.gateway.http.Who;
import brig.gateway.limits.GuardedConnection;
import brig.gateway.listener.Follower;
import brig.gateway.listener.ListenerServices;
import brig.gateway.port.PortCalls;
import brig.gateway.session.Followed;
import brig.gateway.session.Session;
import brig.gateway.spawn.Spawner;
import brig.gateway.spawn.TrackedSession;
import brig.gateway.stream.Framing;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.api.Answers;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.ObjectDecoder;
import io.netty.channel.Channel;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetSocket;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spawner socket: one JSON object per request, one per answer, in order. The kernel authenticates the client. The
 * action {@code attach} turns the connection into one of that session; everything after it is a message to the session.
 *
 * <p>Decisions 0076, 0118.
 */
public final class SpawnerSocket {
    private static final Logger log = LoggerFactory.getLogger(SpawnerSocket.class);
    /** The protocol name of an HTTP upgrade to this protocol. */
    static final String PROTOCOL = "brig.spawner.v1";

    /** The interface, as the frames of a message report it. */
    private static final String WAY = "spawner";

    private static final int WAITING_MAX = 32;

    private final ListenerServices listeners;
    private final Calls calls;
    private final Spawner spawner;
    private final PortCalls ports;

    public SpawnerSocket(ListenerServices listeners, HttpApi.Services services, Calls calls) {
        this.listeners = listeners;
        this.calls = calls;
        this.spawner = services.spawner();
        this.ports = new PortCalls(listeners, services.workers());
    }

    /** Begins to listen. */
    public CompletionStage<Void> open(Path socket) {
        return listeners
                .listen(socket, caller -> {
                    var _ = new Connection(caller.socket(), listeners.unix().accessOf(caller.uid()), caller.guarded());
                })
                .thenAccept(server -> {});
    }

    /** Upgrades an HTTP request's connection to this protocol, with the access of the request's token. */
    void upgrade(Call call) {
        HttpServerRequest request = call.request();
        if (!PROTOCOL.equalsIgnoreCase(request.getHeader("Upgrade"))) {
            throw new BrigException(
                    ErrorCode.INVALID_FIELD,
                    "this path is for the brig command, with BRIG_HOST: it upgrades to " + PROTOCOL);
        }
        GuardedConnection guarded = ListenerServices.guarded(ListenerServices.channel(request));
        call.response().putHeader("Connection", "Upgrade").putHeader("Upgrade", PROTOCOL);
        request.toNetSocket().onSuccess(socket -> new Connection(socket, call.access(), guarded).watch());
    }

    /** The protocol changes of a connection. */
    interface Client {
        /** To one of a session: everything after it is a message to it. */
        CompletionStage<@Nullable Record> attach(SpawnerRequest.Attach request);

        /** To the source of a tracked session. */
        CompletionStage<Answers.Tracked> track(SpawnerRequest.Track request);

        /** To one that follows asks. */
        CompletionStage<@Nullable Record> followAsks(SpawnerRequest.FollowAsks request);

        /** To one that follows sessions. */
        CompletionStage<@Nullable Record> followSessions(SpawnerRequest.FollowSessions request);

        /** To a connection to an agent's server. */
        CompletionStage<Answers.Port> port(SpawnerRequest.Port request);

        CompletionStage<Answers.Shell> shell(SpawnerRequest.Shell request);
    }

    /** One client. Owned by the event loop. */
    private final class Connection implements ObjectDecoder.Sink, Client {
        private final NetSocket socket;
        private final Access access;
        private final GuardedConnection guarded;
        private final Caller.Connection origin;
        private final ConnectionWriter writer;
        private final TextSink sink;
        /** Completes when every earlier request is answered, which keeps answers in order. */
        private CompletionStage<?> answered = CompletableFuture.completedFuture(null);

        private int waiting;
        private @Nullable Attachment attachment;
        /** The session it is the source of; null for none. */
        private @Nullable TrackedSession tracked;
        /** To be run at the end, if it follows asks or sessions; null if it does not. */
        private @Nullable Runnable unfollow;
        /** The client asked for a port or a shell: further bytes are for that. */
        private boolean tunnelled;

        private @Nullable Channel tunnel;
        private boolean closed;
        private Runnable unwatch = () -> {};

        Connection(NetSocket socket, Access access, GuardedConnection guarded) {
            this.socket = socket;
            this.access = access;
            this.guarded = guarded;
            this.origin = new Caller.Connection(WAY, () -> closed, () -> {});
            guarded.endsWith(this::refuse);
            guarded.await(GuardedConnection.Wait.FIRST_LINE);
            this.writer = listeners.writer(socket);
            this.sink = new TextSink(writer, Framing.NONE, new byte[0], writer::finish);
            ObjectDecoder objects = new ObjectDecoder(Limits.MESSAGE_BYTES_MAX, this);
            socket.handler(buffer -> {
                byte[] bytes = buffer.getBytes();
                objects.decode(bytes, 0, bytes.length);
            });
            socket.exceptionHandler(failure -> log.debug("spawner connection failed: {}", failure.toString()));
            socket.closeHandler(nothing -> {
                closed = true;
                unwatch.run();
                if (attachment != null) {
                    attachment.close();
                }
                if (tracked != null) {
                    tracked.handleGone();
                }
                if (unfollow != null) {
                    unfollow.run();
                }
            });
        }

        /** Ends the connection with its token. */
        private void watch() {
            unwatch = listeners.watch(access, writer);
        }

        @Override
        public void handleObject(JsonObject object) {
            if (tracked != null) {
                publish(tracked, object);
                return;
            }
            guarded.becomeKnown(false);
            if (tunnelled) {
                refuse(BrigException.invalid(
                        "action", "comes before the answer to port or shell: send nothing until then"));
                return;
            }
            if (unfollow != null) {
                refuse(BrigException.invalid(
                        "action", "comes on a connection that follows asks or sessions: use another one"));
                return;
            }
            if (++waiting == WAITING_MAX) {
                socket.pause();
            }
            answered = answered.thenCompose(before -> answer(object)).handle((line, failure) -> {
                if (failure != null) {
                    sink.writeLine(Problem.line(Problem.refusal(failure)));
                } else if (line != null) {
                    sink.writeLine(line);
                }
                sink.flush();
                if (tunnel != null) {
                    ByteRelay.join(socket, tunnel);
                }
                if (waiting-- == WAITING_MAX) {
                    socket.resume();
                }
                return null;
            });
        }

        private void refuse(BrigException refusal) {
            sink.writeLine(Problem.line(refusal));
            writer.finish();
        }

        private void publish(TrackedSession to, JsonObject frame) {
            try {
                if (!writer.isFinished()) {
                    to.publish(frame);
                }
            } catch (BrigException refusal) {
                sink.refuse(refusal);
                writer.finish();
            }
        }

        @Override
        public void handleFault(BrigException fault) {
            answered = answered.thenAccept(before -> refuse(fault));
        }

        /** The answer; completes with null if the request has none. */
        private CompletionStage<? extends @Nullable Record> answer(JsonObject asked) {
            try {
                if (attachment != null) {
                    attachment.handleMessage(asked);
                    return CompletableFuture.completedFuture(null);
                }
                return answer((Record) asked.as(SpawnerRequest.class));
            } catch (BrigException refusal) {
                return CompletableFuture.failedFuture(refusal);
            }
        }

        private <I extends Record> CompletionStage<? extends @Nullable Record> answer(I request) {
            Operation<I, ?> operation = Operations.action(request);
            Operation.ConnectionHandler<I> own = operation.connection();
            Who who = Objects.requireNonNull(operation.socketWho());
            String id = request instanceof SpawnerRequest.OfSession named ? named.id() : null;
            Caller caller = Caller.of(access, who, id, listeners.sessions(), origin);
            return own == null
                    ? Objects.requireNonNull(operation.handler()).handle(calls, caller, request)
                    : own.handle(this, request);
        }

        @Override
        public CompletionStage<@Nullable Record> attach(SpawnerRequest.Attach request) {
            Session session = listeners.sessions().find(request.id());
            attachment = new Attachment(
                    session, access.in(session.spawn()), Attachment.Options.of(request.options(), WAY), sink, writer);
            attachment.begin(() -> {});
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Answers.Tracked> track(SpawnerRequest.Track request) {
            return spawner.track(request, access.captain(), new TrackClientStream(socket, sink, writer))
                    .thenApply(begun -> {
                        tracked = begun;
                        if (closed) {
                            begun.handleGone();
                        }
                        return new Answers.Tracked(begun.spawnId(), begun.taskId(), "tracked");
                    });
        }

        @Override
        public CompletionStage<@Nullable Record> followAsks(SpawnerRequest.FollowAsks request) {
            return follow(listeners.sessions().followAsks(access, request.tree()));
        }

        @Override
        public CompletionStage<@Nullable Record> followSessions(SpawnerRequest.FollowSessions request) {
            return follow(listeners.sessions().followSessions(access, request.ended()));
        }

        private <C> CompletionStage<@Nullable Record> follow(Followed<C> followed) {
            unfollow = Follower.follow(followed, writer, sink, change -> sink.writeLine((Record) change), () -> {});
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Answers.Port> port(SpawnerRequest.Port request) {
            Session session = listeners.sessions().find(request.id());
            return join(
                    ports.dial(session, request.port()),
                    new Answers.Port(session.spawn().spawnId(), request.port()));
        }

        @Override
        public CompletionStage<Answers.Shell> shell(SpawnerRequest.Shell request) {
            Session session = listeners.sessions().find(request.id());
            return join(
                    ports.shell(session, request.terminal()),
                    new Answers.Shell(session.spawn().spawnId()));
        }

        /** After the answer the connection leads there. */
        private <A> CompletionStage<A> join(CompletionStage<Channel> dialled, A answer) {
            tunnelled = true;
            return dialled.handle((server, failure) -> {
                if (failure != null) {
                    tunnelled = false;
                    throw Problem.refusal(failure);
                }
                if (closed || writer.isFinished()) {
                    var _ = server.close();
                } else {
                    tunnel = server;
                }
                return answer;
            });
        }
    }
}
