package brig.gateway.api;

import brig.gateway.audit.AuditTrail;
import brig.gateway.auth.Access;
import brig.gateway.config.Config;
import brig.gateway.connection.Problem;
import brig.gateway.events.HookEvents;
import brig.gateway.host.Hosts;
import brig.gateway.http.ApiDocuments;
import brig.gateway.http.Call;
import brig.gateway.http.Caller;
import brig.gateway.http.HttpGuard;
import brig.gateway.http.PageFiles;
import brig.gateway.http.Route;
import brig.gateway.limits.GuardedConnection;
import brig.gateway.listener.ListenerServices;
import brig.gateway.model.OpenAiCalls;
import brig.gateway.oidc.SignIns;
import brig.gateway.port.PortCalls;
import brig.gateway.resources.MetricsCalls;
import brig.gateway.resources.OperatorControls;
import brig.gateway.resources.SandboxCalls;
import brig.gateway.spawn.Spawner;
import brig.gateway.time.Clock;
import brig.gateway.webhook.AnswerLinks;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.api.ClusterView;
import brig.protocol.json.JsonObject;
import brig.protocol.json.TextBinding;
import io.netty.handler.codec.TooLongFrameException;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP interface. {@link Operations} defines the routes and permissions; this class does the common part and
 * delegates the rest to them. Refusals are {@code application/problem+json}.
 *
 * <p>Decision 0032.
 */
public final class HttpApi {
    private static final Logger log = LoggerFactory.getLogger(HttpApi.class);
    /** The interface, as the frames of a message report it. */
    private static final String WAY = "http";

    /** Dependencies of the operations. */
    public record Services(
            Spawner spawner,
            WorkerAgent workers,
            HookEvents events,
            AuditTrail audit,
            OperatorControls controls,
            Hosts hosts,
            SandboxCalls sandboxes,
            Supplier<ClusterView> cluster,
            AnswerLinks links,
            @Nullable SignIns signIns,
            Clock clock,
            Supplier<byte[]> metrics) {}

    private final ListenerServices listeners;
    private final Calls calls;
    private final SpawnerSocket spawner;
    private final HttpGuard guard;
    private final PortCalls ports;
    private final OpenAiCalls models;
    private final MetricsCalls metrics;
    private final PageFiles page = new PageFiles();
    private final ApiDocuments documents = new ApiDocuments();
    private final OperatorControls.Unready unready;
    private final int requestBodyBytes;

    public HttpApi(ListenerServices listeners, Services services, Calls calls, SpawnerSocket spawner, Config config) {
        this.listeners = listeners;
        this.calls = calls;
        this.spawner = spawner;
        guard = new HttpGuard(config.http(), listeners);
        ports = new PortCalls(listeners, services.workers());
        models = new OpenAiCalls(listeners, services.spawner(), services.workers(), services.clock());
        metrics = new MetricsCalls(guard, services.metrics());
        unready = services.controls().unready();
        requestBodyBytes = config.limits().requestBodyBytes();
    }

    /** Routes for all paths of {@link Operations}. */
    public Router router(Vertx vertx) {
        Router router = Router.router(vertx);
        Operations.ALL.forEach(operation -> add(router, operation));
        router.errorHandler(
                400, context -> refuse(context, ErrorCode.INVALID_FIELD, "the request's path or query cannot be read"));
        router.errorHandler(404, context -> refuse(context, ErrorCode.NOT_FOUND, "there is nothing at this path"));
        router.errorHandler(405, context -> {
            context.response()
                    .putHeader("Allow", Operations.allowed(context.request().path()));
            refuse(context, ErrorCode.METHOD_NOT_ALLOWED, "this path does not take that method");
        });
        router.errorHandler(500, context -> {
            log.error(
                    "{} {} failed",
                    context.request().method(),
                    context.request().path(),
                    context.failure());
            refuse(context, ErrorCode.INTERNAL, "the gateway has a fault; its log has more");
        });
        return router;
    }

    private <I extends Record, O extends Record> void add(Router router, Operation<I, O> operation) {
        Route route = operation.route();
        if (route != null) {
            TextBinding<I> binding = operation.binding();
            router.route(route.method(), route.path())
                    .handler(context -> handle(context, route, call -> read(call, route, binding, operation)));
        }
    }

    private <I extends Record, O extends Record> void read(
            Call call, Route route, TextBinding<I> binding, Operation<I, O> operation) {
        if (route.takesBody()) {
            call.readBody(requestBodyBytes, body -> answer(call, operation, binding.read(call.texts(), body)));
        } else {
            answer(call, operation, binding.read(call.texts(), JsonObject.EMPTY));
        }
    }

    private <I extends Record, O extends Record> void answer(Call call, Operation<I, O> operation, I in) {
        Operation.WebHandler<I> own = operation.web();
        Operation.Handler<I, O> common = operation.handler();
        if (own != null) {
            own.handle(this, call, in);
        } else if (common != null) {
            call.answer(operation.status(), common.handle(calls, call.caller(), in));
        }
    }

    /** The handler of the separate metrics address, for everybody who can reach it. */
    public Handler<HttpServerRequest> metricsAlone() {
        return metrics::showAlone;
    }

    /** Answers malformed requests and those with too much before the body, which never reach the router. */
    public static void refuseUnreadable(HttpServerRequest request) {
        boolean tooLong = request.decoderResult().cause() instanceof TooLongFrameException;
        request.response().endHandler(sent -> request.connection().close());
        Problem.send(
                request.response().putHeader("Connection", "close"),
                tooLong
                        ? new BrigException(
                                ErrorCode.LINE_TOO_LONG, "the request's first line or its headers are too long")
                        : new BrigException(ErrorCode.INVALID_FIELD, "that is no HTTP request"));
    }

    private static void refuse(RoutingContext context, ErrorCode code, String message) {
        if (!context.response().ended()) {
            boolean model = Route.isOfModels(context.request().path());
            Call.refuse(context.response(), model, new BrigException(code, message));
        }
    }

    private void handle(RoutingContext context, Route route, Consumer<Call> then) {
        try {
            Problem.unguessed(context.response());
            requireReadable(context.request());
            HttpGuard.requireOneHost(context.request());
            CompletionStage<Access> learned = route.isTheSameForAll() ? null : learn(context, route);
            if (learned == null) {
                then.accept(new Call(context, route, caller(context, route, access(context.request(), route))));
            } else {
                await(context, route, learned, then);
            }
        } catch (BrigException refusal) {
            Call.refuse(context.response(), route.isModel(), refusal);
        }
    }

    /** Who the client is, where another gateway may know it; null where this one knows all there is. */
    private @Nullable CompletionStage<Access> learn(RoutingContext context, Route route) {
        HttpServerRequest request = context.request();
        String ticket = guard.ticket(request, route);
        if (ticket != null) {
            return listeners.tickets().redeem(ticket);
        }
        if (!listeners.tokens().areShared()) {
            return null;
        }
        String token = HttpGuard.token(request);
        String id = context.pathParam("id");
        boolean isKnown = token == null
                || !listeners.tokens().isUnknown(token)
                || (id != null && listeners.sessions().isOwnToken(token, id));
        return isKnown ? null : listeners.tokens().learn().thenApply(learned -> guard.identify(request));
    }

    /** That takes a moment, in which nothing is read. */
    private void await(RoutingContext context, Route route, CompletionStage<Access> learned, Consumer<Call> then) {
        context.request().pause();
        learned.thenAccept(access -> then.accept(new Call(context, route, caller(context, route, access))))
                .whenComplete((handled, failure) -> context.request().resume())
                .exceptionally(failure -> {
                    switch (Reason.cause(failure)) {
                        case BrigException refusal -> Call.refuse(context.response(), route.isModel(), refusal);
                        case Throwable fault -> context.fail(fault);
                    }
                    return null;
                });
    }

    /** Vert.x decodes parameters on first use, and throws if they are malformed. */
    private static void requireReadable(HttpServerRequest request) {
        try {
            var _ = request.params();
        } catch (IllegalArgumentException e) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "the request's query cannot be read");
        }
    }

    /** @throws BrigException if the request is not permitted */
    private Caller caller(RoutingContext context, Route route, Access access) {
        GuardedConnection guarded = ListenerServices.guarded(ListenerServices.channel(context.request()));
        if (!route.isTheSameForAll()) {
            if (access.role() != null) {
                guarded.becomeKnown(access.isAdmin());
            }
            route.requireToken(access);
        }
        return Caller.of(
                access,
                route.who(),
                context.pathParam("id"),
                listeners.sessions(),
                new Caller.Connection(WAY, () -> context.response().closed(), () -> guarded.becomeKnown(false)));
    }

    private Access access(HttpServerRequest request, Route route) {
        if (route.isTheSameForAll()) {
            guard.requireOurHost(request, route);
            return Access.nobody();
        }
        return guard.identify(request);
    }

    Calls calls() {
        return calls;
    }

    SpawnerSocket spawner() {
        return spawner;
    }

    PortCalls ports() {
        return ports;
    }

    OpenAiCalls models() {
        return models;
    }

    MetricsCalls metrics() {
        return metrics;
    }

    PageFiles page() {
        return page;
    }

    ApiDocuments documents() {
        return documents;
    }

    void live(Call call) {
        word(call, 200, "ok");
    }

    void ready(Call call) {
        String reason = unready.reason();
        word(call, reason == null ? 200 : 503, reason == null ? "ok" : "not ready: " + reason);
    }

    private static void word(Call call, int status, String word) {
        call.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "text/plain; charset=utf-8")
                .end(word + "\n");
    }
}
