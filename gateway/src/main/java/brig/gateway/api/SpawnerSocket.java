package brig.gateway.api;

import brig.gateway.auth.Access;
import brig.gateway.connection.Attachment;
import brig.gateway.connection.ByteRelay;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.Problem;
import brig.gateway.connection.TextSink;
import brig.gateway.http.Call;
import brig.gateway.limits.Admission;
import brig.gateway.limits.GuardedConnection;
import brig.gateway.listener.ListenerServices;
import brig.gateway.port.PortCalls;
import brig.gateway.resources.AuditCalls;
import brig.gateway.resources.EgressCalls;
import brig.gateway.resources.GatewayStatus;
import brig.gateway.resources.OperatorControls;
import brig.gateway.resources.SignInCalls;
import brig.gateway.resources.SpawnCalls;
import brig.gateway.resources.TokenCalls;
import brig.gateway.session.Session;
import brig.gateway.spawn.AcceptedSpawn;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.spawn.TrackedSession;
import brig.gateway.stream.Framing;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.message.SpawnRequest;
import brig.protocol.wire.ObjectDecoder;
import io.netty.channel.Channel;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spawner socket: one JSON object per request, one object per answer, in order. The kernel says who asks. The action
 * {@code attach} makes the connection one of that session; everything after it is a message to the session.
 *
 * <p>Decisions 0076, 0118.
 */
public final class SpawnerSocket {
    private static final Logger log = LoggerFactory.getLogger(SpawnerSocket.class);
    /** What an HTTP connection is upgraded to, to become one of these. */
    static final String PROTOCOL = "brig.spawner.v1";

    private static final int WAITING_MAX = 32;
    /** The actions on a session that {@code id} names, or any of the other fields for its names. */
    private static final Set<String> NAMING = Set.of(
            "status", "tree", "terminate", "rebind", "attach", "diff", "apply", "discard", "egress", "port", "open");

    private static final List<String> NAMES = List.of("task_id", "spawn_id", "session_id");

    private final ListenerServices listeners;
    private final Spawner spawner;
    private final WorkerAgent workers;
    private final OperatorControls.Pruner pruner;
    private final TokenCalls tokens;
    private final EgressCalls egress;
    private final AuditCalls audit;
    private final PortCalls ports;
    private final SignInCalls signIn;
    private final GatewayStatus status;
    private final Supplier<String> url;

    /** @param url of the HTTP interface; it is known when that listens */
    public SpawnerSocket(
            ListenerServices listeners, HttpApi.Services services, GatewayStatus status, Supplier<String> url) {
        this.spawner = services.spawner();
        this.workers = services.workers();
        this.pruner = services.controls().pruner();
        this.tokens = new TokenCalls(listeners);
        this.signIn = new SignInCalls(listeners, tokens);
        this.url = url;
        this.egress = new EgressCalls(listeners, workers);
        this.audit = new AuditCalls(listeners, services.audit());
        this.ports = new PortCalls(listeners, workers);
        this.status = status;
        this.listeners = listeners;
    }

    /** Begins to listen. */
    public CompletionStage<Void> open(Path socket) {
        return listeners
                .listen(socket, caller -> {
                    var _ = new Connection(caller.socket(), listeners.unix().accessOf(caller.uid()), caller.guarded());
                })
                .thenAccept(server -> {});
    }

    /** Makes the connection of an HTTP request one of these, for the one that the request's token is of. */
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

    /** One client. State owned by the event loop. */
    private final class Connection implements ObjectDecoder.Sink {
        private final NetSocket socket;
        private final Access access;
        private final GuardedConnection guarded;
        private final ConnectionWriter writer;
        private final TextSink sink;
        /** Completes when every request so far is answered: answers keep the order of the requests. */
        private CompletionStage<?> answered = CompletableFuture.completedFuture(null);

        private int waiting;
        private @Nullable Attachment attachment;
        /** What it tells of; null where it tells of nothing. */
        private @Nullable TrackedSession tracked;
        /** The client asked for a port: what it sends from now on is for that. */
        private boolean tunnelled;

        private @Nullable Channel tunnel;
        private boolean closed;
        private Runnable unwatch = () -> {};

        Connection(NetSocket socket, Access access, GuardedConnection guarded) {
            this.socket = socket;
            this.access = access;
            this.guarded = guarded;
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
            });
        }

        /** With its token the connection ends. */
        private void watch() {
            unwatch = listeners.watch(access, writer);
        }

        @Override
        public void handleObject(Map<String, @Nullable Object> object) {
            if (tracked != null) {
                publish(tracked, object);
                return;
            }
            guarded.becomeKnown(false);
            Fields request = new Fields(object);
            if (tunnelled) {
                writer.finish();
                return;
            }
            if (++waiting == WAITING_MAX) {
                socket.pause();
            }
            answered = answered.thenCompose(before -> answer(request)).handle((line, failure) -> {
                if (failure != null) {
                    sink.writeLine(Problem.line(Problem.refusal(failure)));
                } else if (!line.isEmpty()) {
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

        private void publish(TrackedSession to, Map<String, @Nullable Object> frame) {
            try {
                if (!writer.isFinished()) {
                    to.publish(JsonObject.of(frame));
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

        /** The answer's line; an empty one where the request has none. */
        private CompletionStage<Map<String, ?>> answer(Fields asked) {
            try {
                if (attachment != null) {
                    attachment.handleMessage(JsonObject.of(asked.asMap()));
                    return CompletableFuture.completedFuture(Map.of());
                }
                String action = asked.requiredText("action");
                Fields request = NAMING.contains(action) ? named(asked) : asked;
                return switch (action) {
                    case "spawn" -> spawn(request.only(with(SpawnRequest.FIELDS, "action", "wait")));
                    case "status" -> done(seen(id(request)).spawn().fullView());
                    case "list" -> done(Map.of("spawns", listeners.sessions().views(access)));
                    case "tree" -> seen(id(request)).tree().thenApply(SpawnerSocket::fields);
                    case "terminate" -> terminate(driven(id(request)));
                    case "rebind" -> spawner.rebind(driven(id(request)).spawn()).thenApply(Spawn::view);
                    case "attach" -> attach(request);
                    case "track" -> track(request.only(Set.of("action", "agent", "task_id", "workspace")));
                    case "agents" -> workers.hello().thenApply(SpawnerSocket::fields);
                    case "diff" -> workers.diff(spawnId(id(request))).thenApply(SpawnerSocket::fields);
                    case "apply" -> apply(request.only(Set.of("action", "id", "check", "allow")));
                    case "workspaces" -> workers.workspaces().thenApply(this::own);
                    case "discard" -> workers.discard(spawnId(id(request))).thenApply(SpawnerSocket::fields);
                    case "egress" -> egress(request);
                    case "port" -> port(request.only(Set.of("action", "id", "port")));
                    case "audit" -> audit.list(access, request.only(with(AuditCalls.FIELDS, "action")));
                    case "mint_token" -> tokens.mint(access, request.only(with(TokenCalls.FIELDS, "action")));
                    case "tokens" -> done(tokens.list(access, request.text("session")));
                    case "revoke_token" -> tokens.revoke(access, id(request), null);
                    case "open" -> signIn.open(access, request.only(with(SignInCalls.FIELDS, "action")), url);
                    case "gateway" -> {
                        request.only(Set.of("action"));
                        yield done(status.view());
                    }
                    case "prune" -> prune(request.only(Set.of("action", "dry_run")));
                    case "test_route" -> testRoute(request.only(Set.of("action", "route")));
                    case "doctor" -> workers.doctor().thenApply(SpawnerSocket::fields);
                    default ->
                        throw new BrigException(
                                ErrorCode.UNKNOWN_ACTION,
                                "unknown action '" + action
                                        + "'; known are spawn, status, list, tree, terminate, rebind, attach, track, diff, apply, workspaces, discard,"
                                        + " egress, audit, port, mint_token, tokens, revoke_token, open, agents, gateway, prune, test_route and doctor");
                };
            } catch (BrigException refusal) {
                return CompletableFuture.failedFuture(refusal);
            }
        }

        /** A session that this user may listen to. @throws BrigException where it may not */
        private Session seen(String id) {
            Session session = listeners.sessions().find(id);
            access.in(session.spawn());
            return session;
        }

        /** A session that this user may speak to. @throws BrigException where it may not */
        private Session driven(String id) {
            Session session = listeners.sessions().find(id);
            access.in(session.spawn()).requireCaptain();
            return session;
        }

        /** What a spawn left may outlive what is known of it; then nobody knows whose it was, and only an admin gets it. */
        private String spawnId(String id) {
            return access.isAdmin()
                    ? listeners.sessions().spawnId(id)
                    : driven(id).spawn().spawnId();
        }

        /** Of what spawns left that of this user's own. */
        private Map<String, ?> own(WorkspacesAnswer kept) {
            return fields(
                    access.isAdmin()
                            ? kept
                            : new WorkspacesAnswer(kept.workspaces().stream()
                                    .filter(one -> listeners.sessions().isOf(one.spawnId(), access))
                                    .toList()));
        }

        private CompletionStage<Map<String, ?>> prune(Fields request) {
            if (!access.isAdmin()) {
                throw new BrigException(ErrorCode.FORBIDDEN, "an admin decides what goes of all captains' sessions");
            }
            return pruner.prune(request.flag("dry_run"), access.captain()).thenApply(pruned -> pruned);
        }

        /** It costs nothing at the provider; but what comes back is the operator's account's. */
        private CompletionStage<Map<String, ?>> testRoute(Fields request) {
            if (!access.isAdmin()) {
                throw new BrigException(ErrorCode.FORBIDDEN, "an admin tries the ways to models");
            }
            return workers.testRoute(request.requiredText("route")).thenApply(SpawnerSocket::fields);
        }

        private CompletionStage<Map<String, ?>> apply(Fields request) {
            return workers.apply(spawnId(request.requiredText("id")), request.flag("check"), request.texts("allow"))
                    .thenApply(SpawnerSocket::fields);
        }

        private CompletionStage<Map<String, ?>> spawn(Fields request) {
            long waitMs = SpawnCalls.waitMs(request.text("wait"));
            return spawner.spawn(
                            SpawnRequest.read(request),
                            new Admission.Applicant(
                                    access.asker(Attachment.Options.via(request, "spawner")), waitMs, () -> closed))
                    .thenCompose(AcceptedSpawn::running)
                    .thenApply(SpawnCalls::granted);
        }

        private CompletionStage<Map<String, ?>> terminate(Session session) {
            return spawner.terminate(session.spawn(), "requested", access.captain())
                    .thenApply(begun -> session.spawn().view());
        }

        private CompletionStage<Map<String, ?>> attach(Fields request) {
            request.only(Set.of("action", "id", "from", "role", "presence", "agent", "client"));
            Session session = listeners.sessions().find(request.requiredText("id"));
            attachment = new Attachment(
                    session, access.in(session.spawn()), Attachment.Options.read(request, "spawner"), sink, writer);
            attachment.begin(() -> {});
            return done(Map.of());
        }

        /** From the answer on this connection tells what the agent says. */
        private CompletionStage<Map<String, ?>> track(Fields request) {
            return spawner.track(request, access.captain(), new TrackClientStream(socket, sink, writer))
                    .thenApply(begun -> {
                        tracked = begun;
                        if (closed) {
                            begun.handleGone();
                        }
                        return Map.of("spawn_id", begun.spawnId(), "task_id", begun.taskId(), "status", "tracked");
                    });
        }

        /** With a decision it is one, else it is shown what there is. */
        private CompletionStage<Map<String, ?>> egress(Fields request) {
            request.only(with(EgressCalls.FIELDS, "action", "id"));
            String name = request.requiredText("id");
            return request.has("decision")
                    ? egress.decide(access, name, request).thenApply(SpawnerSocket::fields)
                    : egress.show(access, name).thenApply(SpawnerSocket::fields);
        }

        private CompletionStage<Map<String, ?>> port(Fields request) {
            CompletionStage<Channel> dialled = ports.dial(access, request);
            String spawnId = listeners
                    .sessions()
                    .find(request.requiredText("id"))
                    .spawn()
                    .spawnId();
            tunnelled = true;
            return dialled.handle((server, failure) -> {
                if (failure != null) {
                    tunnelled = false;
                    throw Problem.refusal(failure);
                }
                if (closed) {
                    var _ = server.close();
                }
                tunnel = server;
                return Map.of("spawn_id", spawnId, "port", request.number("port", 1, 65_535, 0));
            });
        }

        /** The request with its session as {@code id}. */
        private static Fields named(Fields request) {
            Map<String, @Nullable Object> fields = new HashMap<>(request.asMap());
            for (String name : NAMES) {
                Object id = fields.remove(name);
                if (id != null && fields.put("id", id) != null) {
                    throw Fields.invalid(name, "names a session, and another field did already");
                }
            }
            return new Fields(fields);
        }

        private static String id(Fields request) {
            return request.only(Set.of("action", "id")).requiredText("id");
        }

        private static Set<String> with(Set<String> fields, String... more) {
            Set<String> all = new HashSet<>(fields);
            all.addAll(List.of(more));
            return all;
        }

        private static CompletionStage<Map<String, ?>> done(Map<String, ?> line) {
            return CompletableFuture.completedFuture(line);
        }
    }

    private static Map<String, ?> fields(Record answer) {
        return Json.parseObject(Json.write(answer));
    }
}
