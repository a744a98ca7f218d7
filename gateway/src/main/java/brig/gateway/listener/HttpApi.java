package brig.gateway.listener;

import brig.gateway.limits.Admission;
import brig.gateway.session.Role;
import brig.gateway.session.Session;
import brig.gateway.spawn.Granted;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import brig.protocol.Ids;
import brig.protocol.Json;
import brig.protocol.Limits;
import brig.protocol.SpawnRequest;
import brig.protocol.StreamPosition;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP interface. Every path under {@code /api} needs the admin token, or a peer that the kernel vouches for; those
 * of one session also take that session's tokens. Refusals are {@code application/problem+json}.
 */
final class HttpApi {
    private static final String CALLER = "brig.caller";

    private final Door door;
    private final HttpGuard guard;
    private final Spawner spawner;
    private final WorkerAgent workers;
    private final BooleanSupplier ready;

    HttpApi(Door door, HttpGuard guard, Spawner spawner, WorkerAgent workers, BooleanSupplier ready) {
        this.door = door;
        this.guard = guard;
        this.spawner = spawner;
        this.workers = workers;
        this.ready = ready;
    }

    Router router(int requestBodyBytes) {
        WebSockets webSockets = new WebSockets(door, guard);
        Router router = Router.router(door.vertx());
        router.get("/livez").handler(context -> context.response().end("ok\n"));
        router.get("/readyz").handler(context ->
                context.response().setStatusCode(ready.getAsBoolean() ? 200 : 503).end(ready.getAsBoolean() ? "ok\n" : "not ready\n"));
        router.route("/api/*").handler(this::identify);
        router.get("/api/v1/sessions/:id/attach").handler(context -> guarded(context, request -> {
            Session session = door.sessions().find(id(context));
            webSockets.attach(request, session, caller(context));
        }));
        router.get("/api/v1/ws").handler(context -> guarded(context, request -> webSockets.multiplex(request, caller(context))));
        router.get("/api/v1/sessions/:id/stream").handler(context -> guarded(context, request -> stream(context)));
        router.post("/api/v1/spawns").handler(BodyHandler.create(false).setBodyLimit(requestBodyBytes))
                .handler(context -> guarded(context, request -> spawn(context)));
        router.get("/api/v1/spawns").handler(context -> guarded(context, request ->
                list(context, Map.of("spawns", door.sessions().views()))));
        router.get("/api/v1/sessions").handler(context -> guarded(context, request ->
                list(context, Map.of("sessions", door.sessions().liveViews()))));
        router.get("/api/v1/agents").handler(context -> guarded(context, request -> {
            requireAdmin(context);
            answer(context, 200, workers.hello());
        }));
        router.get("/api/v1/doctor").handler(context -> guarded(context, request -> {
            requireAdmin(context);
            answer(context, 200, workers.doctor());
        }));
        router.get("/api/v1/spawns/:id").handler(context -> guarded(context, request -> {
            Session session = door.sessions().find(id(context));
            requireRole(context, session);
            send(context.response(), 200, session.spawn().fullView());
        }));
        router.get("/api/v1/spawns/:id/posture").handler(context -> guarded(context, request -> {
            Session session = door.sessions().find(id(context));
            requireRole(context, session);
            send(context.response(), 200, session.spawn().posture());
        }));
        router.get("/api/v1/spawns/:id/diff").handler(context -> guarded(context, request -> {
            Session session = door.sessions().find(id(context));
            requireRole(context, session);
            answer(context, 200, workers.diff(session.spawn().spawnId()));
        }));
        router.get("/api/v1/workspaces").handler(context -> guarded(context, request -> {
            requireAdmin(context);
            answer(context, 200, workers.workspaces());
        }));
        router.delete("/api/v1/workspaces/:id").handler(context -> guarded(context, request -> {
            requireAdmin(context);
            answer(context, 200, workers.discard(door.sessions().spawnId(id(context))));
        }));
        router.post("/api/v1/spawns/:id/rebind").handler(context -> guarded(context, request -> {
            requireAdmin(context);
            answer(context, 200, spawner.rebind(door.sessions().find(id(context)).spawn()).thenApply(Spawn::view));
        }));
        router.delete("/api/v1/spawns/:id").handler(context -> guarded(context, request -> terminate(context)));
        router.errorHandler(404, context -> Problem.send(context.response(),
                new BrigException(ErrorCode.NOT_FOUND, "there is nothing at this path")));
        router.errorHandler(405, context -> Problem.send(context.response(),
                new BrigException(ErrorCode.METHOD_NOT_ALLOWED, "this path does not take that method")));
        router.errorHandler(413, context -> Problem.send(context.response(), new BrigException(ErrorCode.BODY_TOO_LARGE,
                "a body may have limits.requestBodyBytes (" + requestBodyBytes + ") bytes")));
        return router;
    }

    private void identify(RoutingContext context) {
        guarded(context, request -> {
            context.put(CALLER, guard.identify(request));
            context.next();
        });
    }

    /** Runs a handler whose refusals become problem answers. */
    private static void guarded(RoutingContext context, Consumer<HttpServerRequest> handler) {
        try {
            handler.accept(context.request());
        } catch (BrigException refusal) {
            Problem.send(context.response(), refusal);
        }
    }

    private static HttpGuard.Caller caller(RoutingContext context) {
        return context.get(CALLER);
    }

    private static String id(RoutingContext context) {
        return context.pathParam("id");
    }

    private static void requireAdmin(RoutingContext context) {
        HttpGuard.Caller caller = caller(context);
        if (!caller.admin()) {
            throw new BrigException(caller.token() == null ? ErrorCode.UNAUTHENTICATED : ErrorCode.FORBIDDEN,
                    "this needs the admin token: Authorization: Bearer $(brig token)");
        }
    }

    /** What the caller may do in that session. @throws BrigException {@code UNAUTHENTICATED} for nothing */
    private static Role requireRole(RoutingContext context, Session session) {
        HttpGuard.Caller caller = caller(context);
        if (caller.admin()) {
            return Role.CAPTAIN;
        }
        if (caller.token() == null) {
            throw new BrigException(ErrorCode.UNAUTHENTICATED, "this needs a token: Authorization: Bearer …");
        }
        return session.authenticate(caller.token());
    }

    private static void list(RoutingContext context, Map<String, ?> views) {
        requireAdmin(context);
        send(context.response(), 200, views);
    }

    private void spawn(RoutingContext context) {
        requireAdmin(context);
        Buffer body = context.body().buffer();
        byte[] bytes = body == null ? new byte[0] : body.getBytes();
        SpawnRequest request = claimed(SpawnRequest.read(new Fields(Json.parseObject(bytes)).only(SpawnRequest.FIELDS)),
                context.request().getHeader("Idempotency-Key"));
        answer(context, 201, spawner.spawn(request, Admission.Applicant.of(caller(context).captain())).thenApply(granted -> {
            context.response().putHeader("Location", "/api/v1/spawns/" + granted.spawnId());
            return granted(granted);
        }));
    }

    /** The header says the same as the field request_id; its value is a string in quotes, or without them. */
    private static SpawnRequest claimed(SpawnRequest request, @Nullable String header) {
        if (header == null) {
            return request;
        }
        boolean quoted = header.length() > 1 && header.startsWith("\"") && header.endsWith("\"");
        String requestId = Ids.requestId("Idempotency-Key", quoted ? header.substring(1, header.length() - 1) : header);
        String field = request.claim().requestId();
        if (field != null && !field.equals(requestId)) {
            throw Fields.invalid("Idempotency-Key", "is another id than the field request_id");
        }
        return request.claimedAs(requestId);
    }

    /** The answer to a spawn request, the same on every way in. */
    static Map<String, ?> granted(Granted granted) {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("task_id", granted.taskId());
        answer.put("spawn_id", granted.spawnId());
        answer.put("workspace", granted.workspace());
        answer.put("auth_token", granted.captainToken());
        answer.put("watcher_token", granted.watcherToken());
        answer.put("io_socket", granted.ioSocket());
        answer.put("status", "spawned");
        return answer;
    }

    private void terminate(RoutingContext context) {
        Session session = door.sessions().find(id(context));
        if (requireRole(context, session) != Role.CAPTAIN) {
            throw new BrigException(ErrorCode.FORBIDDEN, "a watcher only listens");
        }
        answer(context, 202, spawner.terminate(session.spawn(), "requested").thenApply(begun -> session.spawn().view()));
    }

    private void stream(RoutingContext context) {
        Session session = door.sessions().find(id(context));
        requireRole(context, session);
        session.requireAttachable();
        Optional<StreamPosition> position = position(context.request());
        long from = session.resumePoint(position);
        HttpServerResponse response = context.response();
        if (session.spawn().log().isEnded() && from > session.spawn().log().lastSeq()) {
            response.setStatusCode(204).end();
            return;
        }
        Outlet outlet = door.outlet(HttpGuard.channel(context.request()), why -> LastHttpContent.EMPTY_LAST_CONTENT);
        EventStream events = new EventStream(session, from, outlet, door.timers());
        response.setChunked(true)
                .putHeader("Content-Type", "text/event-stream; charset=utf-8")
                .putHeader("Cache-Control", "no-cache, no-transform")
                .putHeader("X-Accel-Buffering", "no")
                .putHeader("Brig-Resumed-From", new StreamPosition(session.spawn().log().epoch(), from - 1).toString());
        response.writeHead();
        response.closeHandler(nothing -> events.close());
        context.request().headers().clear();
        events.begin(position);
    }

    /** The position that the browser resumes from: the header, which EventSource sends by itself, before the query. */
    private static Optional<StreamPosition> position(HttpServerRequest request) {
        String header = request.getHeader("Last-Event-ID");
        String text = header == null || header.isEmpty() ? request.getParam("last_event_id") : header;
        if (text == null || text.isEmpty() || text.equals("earliest")) {
            return Optional.empty();
        }
        // Behind the highest number nothing can come, not even a gap.
        Optional<StreamPosition> position = StreamPosition.parse(text).filter(last -> last.seq() < Limits.SEQ_MAX);
        if (position.isEmpty()) {
            throw Fields.invalid("last_event_id", "must be <epoch>-<seq> as the stream's ids are, or \"earliest\"");
        }
        return position;
    }

    private static void answer(RoutingContext context, int status, CompletionStage<? extends Map<String, ?>> body) {
        body.whenComplete((map, failure) -> {
            if (failure == null) {
                send(context.response(), status, map);
            } else {
                Problem.send(context.response(), Problem.refusal(failure));
            }
        });
    }

    private static void send(HttpServerResponse response, int status, Map<String, ?> body) {
        response.setStatusCode(status).putHeader("Content-Type", "application/json").end(Buffer.buffer(Json.write(body)));
    }
}
