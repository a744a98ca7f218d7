package brig.gateway.api;

import static brig.gateway.api.Operation.named;
import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.HEAD;
import static io.vertx.core.http.HttpMethod.OPTIONS;
import static io.vertx.core.http.HttpMethod.PATCH;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;
import static java.util.concurrent.CompletableFuture.completedFuture;

import brig.gateway.http.PageFiles;
import brig.gateway.http.Route;
import brig.gateway.http.Who;
import brig.gateway.oidc.SignIns;
import brig.gateway.openai.message.ChatRequest;
import brig.gateway.openai.message.ModelList;
import brig.gateway.openai.message.ResponseRequest;
import brig.gateway.resources.MetricsCalls;
import brig.gateway.webhook.AnswerLinks;
import brig.protocol.api.AgentUse;
import brig.protocol.api.Answers;
import brig.protocol.api.AskList;
import brig.protocol.api.AuditPage;
import brig.protocol.api.CostList;
import brig.protocol.api.EventPage;
import brig.protocol.api.GatewayView;
import brig.protocol.api.HttpRequest;
import brig.protocol.api.PruneAnswer;
import brig.protocol.api.SessionList;
import brig.protocol.api.SignInWays;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.api.SpawnList;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.api.TokenView;
import brig.protocol.api.TreeView;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.AskAnswer;
import brig.protocol.control.CheckpointAnswer;
import brig.protocol.control.CheckpointsAnswer;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.HelloAnswer;
import brig.protocol.control.ImagesAnswer;
import brig.protocol.control.Posture;
import brig.protocol.control.TestRouteAnswer;
import brig.protocol.control.WorkspacesAnswer;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The table of all operations. The HTTP routes and the actions of the spawner socket are derived from it; tests compare
 * it with {@code openapi.json} and the schemas.
 *
 * <p>Decisions 0032, 0148.
 */
final class Operations {
    private static final String PORTS = "/api/v1/sessions/:id/ports/:port/*";

    private static final List<Operation<?, ?>> PAGE = List.of(
            named("page", HttpRequest.Nothing.class)
                    .at(GET, "/", Who.ANYBODY)
                    .as(Route.Kind.SAME_FOR_ALL)
                    .web((api, call, in) -> api.page().index(call)),
            named("pageFile", HttpRequest.File.class)
                    .at(GET, PageFiles.ASSETS + "*", Who.ANYBODY)
                    .as(Route.Kind.SAME_FOR_ALL)
                    .web((api, call, in) -> api.page().asset(call)),
            named("answerPage", HttpRequest.Named.class)
                    .at(GET, AnswerLinks.PATH + ":id", Who.ANYBODY)
                    .as(Route.Kind.SAME_FOR_ALL)
                    .web((api, call, in) -> api.calls().links().show(call, in.id())),
            named("answerByPage", HttpRequest.Named.class)
                    .at(POST, AnswerLinks.PATH + ":id", Who.ANYBODY)
                    .as(Route.Kind.SAME_FOR_ALL)
                    .web((api, call, in) -> api.calls().links().answer(call, in.id())),
            named("beginSignIn", HttpRequest.Nothing.class)
                    .at(GET, SignIns.PATH, Who.ANYBODY)
                    .as(Route.Kind.SAME_FOR_ALL)
                    .web((api, call, in) -> api.calls().oidc().begin(call)),
            named("endSignIn", HttpRequest.Nothing.class)
                    .at(GET, SignIns.CALLBACK, Who.ANYBODY)
                    .as(Route.Kind.SENT_BACK)
                    .web((api, call, in) -> api.calls().oidc().callback(call)),
            named("live", HttpRequest.Nothing.class)
                    .at(GET, "/livez", Who.ANYBODY)
                    .as(Route.Kind.HEALTH_CHECK)
                    .web((api, call, in) -> api.live(call)),
            named("ready", HttpRequest.Nothing.class)
                    .at(GET, "/readyz", Who.ANYBODY)
                    .as(Route.Kind.HEALTH_CHECK)
                    .web((api, call, in) -> api.ready(call)),
            named("metrics", HttpRequest.Nothing.class)
                    .at(GET, MetricsCalls.PATH, Who.ADMIN)
                    .web((api, call, in) -> api.metrics().show(call.response())),
            named("openapi", HttpRequest.Nothing.class)
                    .at(GET, "/api/v1/openapi.json", Who.ANYBODY)
                    .web((api, call, in) -> api.documents().openApi(call)),
            named("asyncapi", HttpRequest.Nothing.class)
                    .at(GET, "/api/v1/asyncapi.json", Who.ANYBODY)
                    .web((api, call, in) -> api.documents().asyncApi(call)));

    private static final List<Operation<?, ?>> SPAWNS = List.of(
            named(
                            "spawn",
                            SpawnerRequest.Spawn.class,
                            SpawnAnswer.class,
                            (calls, caller, in) -> calls.spawns().spawn(caller, in))
                    .withBody(POST, "/api/v1/spawns", Who.STARTER, "wait")
                    .answering(201)
                    .web((api, call, in) -> api.calls().spawns().spawn(call, in))
                    .action(),
            named(
                            "listSpawns",
                            HttpRequest.ListSpawns.class,
                            SpawnList.class,
                            (calls, caller, in) ->
                                    completedFuture(calls.spawns().list(caller, in)))
                    .at(GET, "/api/v1/spawns", Who.KNOWN),
            named(
                            "showSpawn",
                            SpawnerRequest.Status.class,
                            SpawnView.class,
                            (calls, caller, in) ->
                                    completedFuture(caller.session().spawn().fullView()))
                    .at(GET, "/api/v1/spawns/:id", Who.WATCHER)
                    .action(),
            named(
                            "list",
                            SpawnerRequest.ListAll.class,
                            SpawnList.class,
                            (calls, caller, in) ->
                                    completedFuture(calls.spawns().list(caller)))
                    .action(Who.KNOWN),
            named(
                            "showPosture",
                            HttpRequest.Named.class,
                            Posture.class,
                            (calls, caller, in) ->
                                    completedFuture(caller.session().spawn().posture()))
                    .at(GET, "/api/v1/spawns/:id/posture", Who.WATCHER),
            named(
                            "endSpawn",
                            SpawnerRequest.Terminate.class,
                            SpawnView.class,
                            (calls, caller, in) -> calls.spawns().end(caller))
                    .at(DELETE, "/api/v1/spawns/:id", Who.CAPTAIN)
                    .answering(202)
                    .action(),
            named(
                            "rebind",
                            SpawnerRequest.Rebind.class,
                            SpawnView.class,
                            (calls, caller, in) -> calls.spawns().rebind(caller))
                    .at(POST, "/api/v1/spawns/:id/rebind", Who.CAPTAIN)
                    .action(),
            named(
                            "pauseSpawn",
                            SpawnerRequest.Pause.class,
                            SpawnView.class,
                            (calls, caller, in) -> calls.sandboxes().pause(caller))
                    .at(POST, "/api/v1/spawns/:id/pause", Who.CAPTAIN)
                    .action(),
            named(
                            "resumeSpawn",
                            SpawnerRequest.Resume.class,
                            SpawnView.class,
                            (calls, caller, in) -> calls.sandboxes().resume(caller))
                    .at(POST, "/api/v1/spawns/:id/resume", Who.CAPTAIN)
                    .action(),
            named(
                            "showDiff",
                            SpawnerRequest.Diff.class,
                            DiffAnswer.class,
                            (calls, caller, in) -> calls.spawns().diff(caller, in))
                    .at(GET, "/api/v1/spawns/:id/diff", Who.WORKSPACE_WATCHER)
                    .action(),
            named(
                            "apply",
                            SpawnerRequest.Apply.class,
                            ApplyAnswer.class,
                            (calls, caller, in) -> calls.spawns().apply(caller, in))
                    .withBody(POST, "/api/v1/spawns/:id/apply", Who.WORKSPACE_CAPTAIN)
                    .action(),
            named(
                            "checkpoint",
                            SpawnerRequest.Checkpoint.class,
                            CheckpointAnswer.class,
                            (calls, caller, in) -> calls.spawns().checkpoint(caller))
                    .at(POST, "/api/v1/spawns/:id/checkpoints", Who.CAPTAIN)
                    .answering(201)
                    .action(),
            named(
                            "listCheckpoints",
                            SpawnerRequest.Checkpoints.class,
                            CheckpointsAnswer.class,
                            (calls, caller, in) -> calls.spawns().checkpoints(caller))
                    .at(GET, "/api/v1/spawns/:id/checkpoints", Who.WATCHER)
                    .action(),
            named(
                            "restore",
                            SpawnerRequest.Restore.class,
                            CheckpointAnswer.class,
                            (calls, caller, in) -> calls.spawns().restore(caller, in))
                    .withBody(POST, "/api/v1/spawns/:id/restore", Who.CAPTAIN)
                    .action(),
            named(
                            "fork",
                            SpawnerRequest.Fork.class,
                            SpawnAnswer.class,
                            (calls, caller, in) -> calls.spawns().fork(caller, in))
                    .withBody(POST, "/api/v1/spawns/:id/fork", Who.CAPTAIN)
                    .answering(201)
                    .action(),
            named(
                            "listWorkspaces",
                            SpawnerRequest.Workspaces.class,
                            WorkspacesAnswer.class,
                            (calls, caller, in) -> calls.spawns().workspaces(caller))
                    .at(GET, "/api/v1/workspaces", Who.STARTER)
                    .action(),
            named(
                            "discardWorkspace",
                            SpawnerRequest.Discard.class,
                            DiscardAnswer.class,
                            (calls, caller, in) -> calls.spawns().discard(caller, in))
                    .at(DELETE, "/api/v1/workspaces/:id", Who.WORKSPACE_CAPTAIN)
                    .action(),
            named(
                            "discardRoot",
                            SpawnerRequest.DiscardRoot.class,
                            WorkspacesAnswer.KeptRoot.class,
                            (calls, caller, in) -> calls.spawns().discardRoot(caller, in))
                    .action(Who.STARTER));

    private static final List<Operation<?, ?>> SESSIONS = List.of(
            named("listSessions", HttpRequest.ListSessions.class, SessionList.class)
                    .at(GET, "/api/v1/sessions", Who.KNOWN)
                    .web((api, call, in) -> api.calls().follow().sessions(call, in)),
            named(
                            "showTree",
                            SpawnerRequest.Tree.class,
                            TreeView.class,
                            (calls, caller, in) -> caller.session().tree())
                    .at(GET, "/api/v1/sessions/:id/tree", Who.WATCHER)
                    .action(),
            named(
                            "input",
                            HttpRequest.Input.class,
                            Answers.Accepted.class,
                            (calls, caller, in) ->
                                    completedFuture(calls.sessions().input(caller, in)))
                    .withBody(POST, "/api/v1/sessions/:id/input", Who.CAPTAIN)
                    .answering(202),
            named(
                            "cancel",
                            HttpRequest.Named.class,
                            Answers.Accepted.class,
                            (calls, caller, in) ->
                                    completedFuture(calls.sessions().cancel(caller)))
                    .at(POST, "/api/v1/sessions/:id/cancel", Who.CAPTAIN)
                    .answering(202),
            named("stream", HttpRequest.Stream.class)
                    .at(GET, "/api/v1/sessions/:id/stream", Who.WATCHER)
                    .web((api, call, in) -> api.calls().sessions().stream(call, in)),
            named("attach", HttpRequest.Attach.class)
                    .at(GET, "/api/v1/sessions/:id/attach", Who.ANYBODY)
                    .web((api, call, in) -> api.calls().sessions().attach(call, in)),
            named("attachSocket", SpawnerRequest.Attach.class).action(Who.WATCHER, (client, in) -> client.attach(in)),
            named("track", SpawnerRequest.Track.class, Answers.Tracked.class)
                    .action(Who.KNOWN, (client, in) -> client.track(in)),
            named("multiplex", HttpRequest.Multiplex.class)
                    .at(GET, "/api/v1/ws", Who.ANYBODY)
                    .web((api, call, in) -> api.calls().sessions().multiplex(call)),
            named("spawner", HttpRequest.Nothing.class)
                    .at(GET, "/api/v1/spawner", Who.STARTER)
                    .web((api, call, in) -> api.spawner().upgrade(call)),
            named("port", SpawnerRequest.Port.class, Answers.Port.class)
                    .action(Who.CAPTAIN, (client, in) -> client.port(in)),
            named("shell", SpawnerRequest.Shell.class, Answers.Shell.class)
                    .action(Who.CAPTAIN, (client, in) -> client.shell(in)),
            port("getPort", GET),
            port("headPort", HEAD),
            port("postPort", POST),
            port("putPort", PUT),
            port("patchPort", PATCH),
            port("deletePort", DELETE),
            port("optionsPort", OPTIONS));

    private static Operation<?, ?> port(String id, HttpMethod method) {
        return named(id, HttpRequest.Port.class)
                .at(method, PORTS, Who.CAPTAIN)
                .as(Route.Kind.PASSED_ON)
                .web((api, call, in) -> api.ports().pass(call));
    }

    private static final List<Operation<?, ?>> EVENTS = List.of(
            named(
                            "showEgress",
                            HttpRequest.Named.class,
                            EgressAnswer.class,
                            (calls, caller, in) -> calls.egress().show(caller, in.id()))
                    .at(GET, "/api/v1/spawns/:id/egress", Who.SOMEBODY),
            named(
                            "decideEgress",
                            HttpRequest.DecideEgress.class,
                            EgressDecided.class,
                            (calls, caller, in) -> calls.egress().decide(caller, in))
                    .withBody(POST, "/api/v1/spawns/:id/egress", Who.SOMEBODY),
            named(
                            "egress",
                            SpawnerRequest.Egress.class,
                            Record.class,
                            (calls, caller, in) -> calls.egress().showOrDecide(caller, in))
                    .action(Who.SOMEBODY),
            named("listAsks", HttpRequest.ListAsks.class, AskList.class)
                    .at(GET, "/api/v1/asks", Who.SOMEBODY)
                    .web((api, call, in) -> api.calls().follow().asks(call, in)),
            named(
                            "asks",
                            SpawnerRequest.Asks.class,
                            AskList.class,
                            (calls, caller, in) -> completedFuture(calls.asks().list(caller, in)))
                    .action(Who.SOMEBODY),
            named("followAsks", SpawnerRequest.FollowAsks.class)
                    .action(Who.SOMEBODY, (client, in) -> client.followAsks(in)),
            named("followSessions", SpawnerRequest.FollowSessions.class)
                    .action(Who.KNOWN, (client, in) -> client.followSessions(in)),
            named(
                            "answerAsk",
                            SpawnerRequest.AnswerAsk.class,
                            AskAnswer.class,
                            (calls, caller, in) -> calls.asks().answer(caller, in))
                    .withBody(POST, "/api/v1/asks/:id", Who.SOMEBODY)
                    .action(),
            named(
                            "listAudit",
                            SpawnerRequest.Audit.class,
                            AuditPage.class,
                            (calls, caller, in) -> calls.audit().list(caller, in))
                    .at(GET, "/api/v1/audit", Who.SOMEBODY)
                    .action(),
            named(
                            "listCosts",
                            SpawnerRequest.Costs.class,
                            CostList.class,
                            (calls, caller, in) -> calls.audit().costs(caller, in))
                    .at(GET, "/api/v1/costs", Who.SOMEBODY)
                    .action(),
            named(
                            "postEvent",
                            HttpRequest.Report.class,
                            EventPage.Event.class,
                            (calls, caller, in) -> calls.events().post(caller, in))
                    .withBody(POST, "/api/v1/events", Who.SOMEBODY)
                    .answering(201),
            named("listEvents", HttpRequest.ListEvents.class, EventPage.class)
                    .at(GET, "/api/v1/events", Who.KNOWN)
                    .web((api, call, in) -> api.calls().events().list(call, in)));

    private static final List<Operation<?, ?>> TOKENS = List.of(
            named(
                            "mintToken",
                            SpawnerRequest.MintToken.class,
                            TokenView.Minted.class,
                            (calls, caller, in) -> calls.tokens().mint(caller.access(), in))
                    .withBody(POST, "/api/v1/tokens", Who.SOMEBODY)
                    .answering(201)
                    .action(),
            named(
                            "listTokens",
                            SpawnerRequest.Tokens.class,
                            TokenView.TokenList.class,
                            (calls, caller, in) ->
                                    completedFuture(calls.tokens().list(caller, in)))
                    .at(GET, "/api/v1/tokens", Who.SOMEBODY)
                    .action(),
            named(
                            "revokeToken",
                            SpawnerRequest.RevokeToken.class,
                            TokenView.class,
                            (calls, caller, in) -> calls.tokens().revoke(caller, in))
                    .at(DELETE, "/api/v1/tokens/:id", Who.SOMEBODY)
                    .action(),
            named(
                            "issueTicket",
                            HttpRequest.Ticket.class,
                            TokenView.Ticket.class,
                            (calls, caller, in) -> calls.tokens().ticket(caller, in))
                    .withBody(POST, "/api/v1/tickets", Who.SOMEBODY)
                    .answering(201),
            named(
                            "signInWays",
                            HttpRequest.Nothing.class,
                            SignInWays.class,
                            (calls, caller, in) -> completedFuture(calls.oidc().ways()))
                    .at(GET, "/api/v1/sign-in", Who.ANYBODY)
                    .as(Route.Kind.SAME_FOR_ALL),
            named("signIn", HttpRequest.Nothing.class, TokenView.SignedIn.class)
                    .at(POST, "/api/v1/sign-in", Who.SOMEBODY)
                    .answering(201)
                    .web((api, call, in) -> api.calls().signIn().signIn(call)),
            named("signOut", HttpRequest.Nothing.class, Answers.Done.class)
                    .at(DELETE, "/api/v1/sign-in", Who.ANYBODY)
                    .web((api, call, in) -> api.calls().signIn().signOut(call)),
            named(
                            "open",
                            SpawnerRequest.Open.class,
                            TokenView.Opened.class,
                            (calls, caller, in) -> calls.signIn().open(caller, in))
                    .action(Who.KNOWN));

    private static final List<Operation<?, ?>> MODELS = List.of(
            named("listModels", HttpRequest.Nothing.class, ModelList.class)
                    .at(GET, "/openai/v1/models", Who.STARTER)
                    .web((api, call, in) -> api.models().models(call)),
            named("showModel", HttpRequest.Named.class, ModelList.Model.class)
                    .at(GET, "/openai/v1/models/:id", Who.STARTER)
                    .web((api, call, in) -> api.models().model(call, in.id())),
            named("modelChat", ChatRequest.class)
                    .withBody(POST, "/openai/v1/chat/completions", Who.STARTER)
                    .web((api, call, in) -> api.models().chat(call, in)),
            named("modelRespond", ResponseRequest.class)
                    .withBody(POST, "/openai/v1/responses", Who.STARTER)
                    .web((api, call, in) -> api.models().respond(call, in)));

    private static final List<Operation<?, ?>> OPERATOR = List.of(
            named(
                            "status",
                            SpawnerRequest.Gateway.class,
                            GatewayView.class,
                            (calls, caller, in) ->
                                    completedFuture(calls.operator().status(caller)))
                    .at(GET, "/api/v1/status", Who.STARTER)
                    .action(),
            named(
                            "agentStatus",
                            HttpRequest.Named.class,
                            AgentUse.class,
                            (calls, caller, in) -> calls.operator().agentStatus(in.id()))
                    .at(GET, "/api/v1/status/agents/:id", Who.ADMIN),
            named(
                            "pause",
                            HttpRequest.Nothing.class,
                            GatewayView.class,
                            (calls, caller, in) ->
                                    completedFuture(calls.operator().pause()))
                    .at(POST, "/api/v1/pool/pause", Who.ADMIN),
            named(
                            "drain",
                            HttpRequest.Nothing.class,
                            GatewayView.class,
                            (calls, caller, in) ->
                                    completedFuture(calls.operator().drain()))
                    .at(POST, "/api/v1/pool/drain", Who.ADMIN),
            named(
                            "resume",
                            HttpRequest.Nothing.class,
                            GatewayView.class,
                            (calls, caller, in) ->
                                    completedFuture(calls.operator().resume()))
                    .at(POST, "/api/v1/pool/resume", Who.ADMIN),
            named("shutdown", HttpRequest.Shutdown.class, GatewayView.class)
                    .withBody(POST, "/api/v1/shutdown", Who.ADMIN)
                    .answering(202)
                    .web((api, call, in) -> api.calls().operator().shutdown(call, in)),
            named(
                            "prune",
                            SpawnerRequest.Prune.class,
                            PruneAnswer.class,
                            (calls, caller, in) -> calls.operator().prune(caller, in))
                    .withBody(POST, "/api/v1/prune", Who.ADMIN)
                    .action(),
            named(
                            "agents",
                            SpawnerRequest.Agents.class,
                            HelloAnswer.class,
                            (calls, caller, in) -> calls.operator().agents())
                    .at(GET, "/api/v1/agents", Who.KNOWN)
                    .action(),
            named(
                            "testRoute",
                            SpawnerRequest.TestRoute.class,
                            TestRouteAnswer.class,
                            (calls, caller, in) -> calls.operator().testRoute(in))
                    .action(Who.ADMIN),
            named(
                            "listImages",
                            SpawnerRequest.Images.class,
                            ImagesAnswer.class,
                            (calls, caller, in) -> calls.operator().images())
                    .action(Who.KNOWN),
            named(
                            "pullImage",
                            SpawnerRequest.PullImage.class,
                            ImagesAnswer.Image.class,
                            (calls, caller, in) -> calls.operator().pullImage(in))
                    .action(Who.ADMIN),
            named(
                            "removeImage",
                            SpawnerRequest.RemoveImage.class,
                            ImagesAnswer.Image.class,
                            (calls, caller, in) -> calls.operator().removeImage(in))
                    .action(Who.ADMIN),
            named(
                            "doctor",
                            SpawnerRequest.Doctor.class,
                            DoctorAnswer.class,
                            (calls, caller, in) -> calls.operator().doctor().thenCompose(calls.oidc()::examine))
                    .at(GET, "/api/v1/doctor", Who.ADMIN)
                    .action());

    /** The whole table. */
    static final List<Operation<?, ?>> ALL = Stream.of(
                    PAGE, SPAWNS, SESSIONS, EVENTS, TOKENS, MODELS, OPERATOR, HostOperations.ALL)
            .flatMap(List::stream)
            .toList();

    /** Operations of the spawner socket, by request type. */
    private static final Map<Class<?>, Operation<?, ?>> ACTIONS = ALL.stream()
            .filter(operation -> operation.socketWho() != null)
            .collect(Collectors.toMap(Operation::in, Function.identity()));

    private Operations() {}

    /** The operation of a request on the spawner socket. */
    @SuppressWarnings("unchecked")
    static <I extends Record> Operation<I, ?> action(I request) {
        Operation<?, ?> operation = ACTIONS.get(request.getClass());
        if (operation == null) {
            throw new IllegalStateException(request.getClass() + " is no action");
        }
        return (Operation<I, ?>) operation;
    }

    /** The methods supported at a path, for {@code Allow}. */
    static String allowed(String path) {
        return ALL.stream()
                .map(Operation::route)
                .filter(route -> route != null && route.matches(path))
                .map(route -> route.method().name())
                .sorted()
                .distinct()
                .collect(Collectors.joining(", "));
    }
}
