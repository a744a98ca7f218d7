package brig.gateway.api;

import brig.gateway.audit.AuditTrail;
import brig.gateway.auth.Access;
import brig.gateway.config.Config;
import brig.gateway.connection.Problem;
import brig.gateway.events.HookEvents;
import brig.gateway.http.ApiDocuments;
import brig.gateway.http.Call;
import brig.gateway.http.HttpGuard;
import brig.gateway.http.Operation;
import brig.gateway.http.PageFiles;
import brig.gateway.limits.GuardedConnection;
import brig.gateway.listener.ListenerServices;
import brig.gateway.listener.WebSockets;
import brig.gateway.model.OpenAiCalls;
import brig.gateway.port.PortCalls;
import brig.gateway.resources.AuditCalls;
import brig.gateway.resources.EgressCalls;
import brig.gateway.resources.EventCalls;
import brig.gateway.resources.GatewayStatus;
import brig.gateway.resources.MetricsCalls;
import brig.gateway.resources.OperatorCalls;
import brig.gateway.resources.OperatorControls;
import brig.gateway.resources.SessionCalls;
import brig.gateway.resources.SignInCalls;
import brig.gateway.resources.SpawnCalls;
import brig.gateway.resources.TokenCalls;
import brig.gateway.session.Session;
import brig.gateway.spawn.Spawner;
import brig.gateway.time.Clock;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import io.netty.handler.codec.TooLongFrameException;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP interface: {@link Operation} says what there is and who may, this class does what is the same for all, and
 * the classes that it names do the rest. Refusals are {@code application/problem+json}.
 *
 * <p>Decision 0032.
 */
public final class HttpApi {
    private static final Logger log = LoggerFactory.getLogger(HttpApi.class);

    /** What the operations work on. */
    public record Services(
            Spawner spawner,
            WorkerAgent workers,
            HookEvents events,
            AuditTrail audit,
            OperatorControls controls,
            Clock clock,
            Supplier<byte[]> metrics) {}

    private final ListenerServices listeners;
    private final HttpGuard guard;
    private final SpawnCalls spawns;
    private final SessionCalls sessions;
    private final EventCalls events;
    private final TokenCalls tokens;
    private final EgressCalls egress;
    private final AuditCalls audit;
    private final PortCalls ports;
    private final OpenAiCalls models;
    private final OperatorCalls operator;
    private final SignInCalls signIn;
    private final PageFiles page = new PageFiles();
    private final MetricsCalls metrics;
    private final SpawnerSocket spawner;
    private final ApiDocuments documents = new ApiDocuments();
    private final OperatorControls.Unready unready;
    private final int requestBodyBytes;

    public HttpApi(
            ListenerServices listeners, Services services, GatewayStatus status, SpawnerSocket spawner, Config config) {
        this.spawner = spawner;
        this.listeners = listeners;
        guard = new HttpGuard(config.http(), listeners);
        spawns = new SpawnCalls(listeners, services.spawner(), services.workers());
        sessions = new SessionCalls(listeners, spawns, new WebSockets(listeners));
        events = new EventCalls(listeners, services.spawner(), services.events());
        tokens = new TokenCalls(listeners);
        signIn = new SignInCalls(listeners, tokens);
        egress = new EgressCalls(listeners, services.workers());
        audit = new AuditCalls(listeners, services.audit());
        ports = new PortCalls(listeners, services.workers());
        models = new OpenAiCalls(listeners, services.spawner(), services.workers(), services.clock());
        operator = new OperatorCalls(status, services.workers(), services.controls());
        metrics = new MetricsCalls(guard, services.metrics());
        unready = services.controls().unready();
        requestBodyBytes = config.limits().requestBodyBytes();
    }

    /** All paths of {@link Operation}. */
    public Router router(Vertx vertx) {
        Router router = Router.router(vertx);
        for (Operation operation : Operation.values()) {
            Consumer<Call> handler = handler(operation);
            router.route(operation.method(), operation.path()).handler(context -> handle(context, operation, handler));
        }
        router.errorHandler(
                400, context -> refuse(context, ErrorCode.INVALID_FIELD, "the request's path or query cannot be read"));
        router.errorHandler(404, context -> refuse(context, ErrorCode.NOT_FOUND, "there is nothing at this path"));
        router.errorHandler(405, context -> {
            context.response()
                    .putHeader("Allow", Operation.allowed(context.request().path()));
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

    /** What an address serves that is there for the metrics only, to whoever can reach it. */
    public Handler<HttpServerRequest> metricsAlone() {
        return metrics::showAlone;
    }

    /** What is no request at all, or has too much before its body, never reaches the router. */
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
            boolean model = Operation.isOfModels(context.request().path());
            Call.refuse(context.response(), model, new BrigException(code, message));
        }
    }

    private void handle(RoutingContext context, Operation operation, Consumer<Call> handler) {
        try {
            Problem.unguessed(context.response());
            requireReadable(context.request());
            HttpGuard.requireOneHost(context.request());
            Call call = call(context, operation);
            if (operation.takesBody()) {
                call.readBody(requestBodyBytes, () -> handler.accept(call));
            } else {
                handler.accept(call);
            }
        } catch (BrigException refusal) {
            Call.refuse(context.response(), operation.isModel(), refusal);
        }
    }

    /** Vert.x decodes parameters when it is first asked for one, and fails where they cannot be. */
    private static void requireReadable(HttpServerRequest request) {
        try {
            var _ = request.params();
        } catch (IllegalArgumentException e) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "the request's query cannot be read");
        }
    }

    /** @throws BrigException where the request may not be answered */
    private Call call(RoutingContext context, Operation operation) {
        if (operation.isTheSameForAll()) {
            guard.requireOurHost(context.request(), operation);
            return new Call(context, operation, Access.nobody(), null);
        }
        Access access = guard.identify(context.request(), operation);
        GuardedConnection guarded = ListenerServices.guarded(ListenerServices.channel(context.request()));
        if (access.role() != null) {
            guarded.becomeKnown(access.isAdmin());
        }
        operation.require(access);
        if (!operation.who().isOfSession()) {
            return new Call(context, operation, access, null);
        }
        Session session = listeners.sessions().find(context.pathParam("id"));
        Access here = access.in(session.spawn());
        guarded.becomeKnown(false);
        if (operation.who() == Operation.Who.DRIVER) {
            here.requireCaptain();
        }
        return new Call(context, operation, here, session);
    }

    private Consumer<Call> handler(Operation operation) {
        return switch (operation) {
            case PAGE -> page::index;
            case PAGE_FILE -> page::asset;
            case SIGN_IN -> signIn::signIn;
            case SIGN_OUT -> signIn::signOut;
            case LIVE -> call -> word(call, 200, "ok");
            case READY -> this::ready;
            case METRICS -> call -> metrics.show(call.response());
            case OPENAPI -> documents::openApi;
            case ASYNCAPI -> documents::asyncApi;
            case POST_EVENT -> events::post;
            case LIST_EVENTS -> events::list;
            case LIST_AUDIT -> audit::list;
            case MINT_TOKEN -> tokens::mint;
            case LIST_TOKENS -> tokens::list;
            case REVOKE_TOKEN -> tokens::revoke;
            case ISSUE_TICKET -> tokens::ticket;
            case SPAWN -> spawns::spawn;
            case LIST_SPAWNS -> spawns::list;
            case SHOW_SPAWN -> call -> call.answer(200, call.session().spawn().fullView());
            case SHOW_POSTURE -> call -> call.answer(200, call.session().spawn().posture());
            case SHOW_DIFF -> spawns::diff;
            case APPLY -> spawns::apply;
            case LIST_MODELS -> models::models;
            case SHOW_MODEL -> models::model;
            case MODEL_CHAT -> models::chat;
            case MODEL_RESPOND -> models::respond;
            case SHOW_EGRESS -> egress::show;
            case DECIDE_EGRESS -> egress::decide;
            case REBIND -> spawns::rebind;
            case END_SPAWN -> spawns::end;
            case LIST_WORKSPACES -> spawns::workspaces;
            case DISCARD_WORKSPACE -> spawns::discard;
            case LIST_SESSIONS -> sessions::list;
            case SHOW_TREE -> call -> call.answerWith(200, call.session().tree());
            case STREAM -> sessions::stream;
            case ATTACH -> sessions::attach;
            case INPUT -> sessions::input;
            case CANCEL -> sessions::cancel;
            case GET_PORT, HEAD_PORT, POST_PORT, PUT_PORT, PATCH_PORT, DELETE_PORT, OPTIONS_PORT -> ports::pass;
            case MULTIPLEX -> sessions::multiplex;
            case SPAWNER -> spawner::upgrade;
            case STATUS -> operator::status;
            case AGENT_STATUS -> operator::agentStatus;
            case PAUSE -> operator::pause;
            case DRAIN -> operator::drain;
            case RESUME -> operator::resume;
            case SHUTDOWN -> operator::shutdown;
            case AGENTS -> operator::agents;
            case DOCTOR -> operator::doctor;
            case PRUNE -> operator::prune;
        };
    }

    private void ready(Call call) {
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
