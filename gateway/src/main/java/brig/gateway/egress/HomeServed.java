package brig.gateway.egress;

import brig.gateway.stream.StreamLog;
import brig.gateway.worker.ForwardingAgent;
import brig.gateway.worker.NetworkAgent;
import brig.gateway.worker.WorkerStream;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.AskAnswer;
import brig.protocol.control.AuditAnswer;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.EgressDecision;
import brig.protocol.control.EgressGrant;
import brig.protocol.control.EgressHappened;
import brig.protocol.control.ImagesAnswer;
import brig.protocol.control.Provision;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.TestRouteAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.wire.FrameDecoder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker-agent of a host whose workers' networks are served at home. Before a worker starts there, home grants its
 * network; what people decide about hosts goes home. Owned by the event loop.
 *
 * <p>Decision 0160.
 */
public final class HomeServed extends ForwardingAgent implements WallStreams.Claims {
    private static final Logger log = LoggerFactory.getLogger(HomeServed.class);

    private final NetworkAgent home;
    private final Function<String, @Nullable SpawnRequest> requests;
    /** What was asked for each worker whose network is served. */
    private final Map<String, SpawnRequest> granted = new HashMap<>();
    /** Those whose start is not answered yet. */
    private final Set<String> starting = new HashSet<>();

    private final HostAsks asks = new HostAsks();
    private final CompletableFuture<Void> adopted = new CompletableFuture<>();

    /**
     * @param far the worker-agent of the host
     * @param home that of this host
     * @param requests what was asked for a worker of that host; null if there is none of that id
     */
    public HomeServed(NetworkAgent far, NetworkAgent home, Function<String, @Nullable SpawnRequest> requests) {
        super(far);
        this.home = home;
        this.requests = requests;
    }

    @Override
    public @Nullable String refusal(String spawnId) {
        return granted.containsKey(spawnId) ? null : "the gateway knows no such worker on that host";
    }

    @Override
    public CompletionStage<SpawnAnswer> spawn(
            String spawnId, SpawnRequest request, SpawnRequest.Asker asker, Provision with) {
        starting.add(spawnId);
        return grant(spawnId, request)
                .thenCompose(grant -> far.spawn(spawnId, request, asker, with.with(grant)))
                .whenComplete((started, failure) -> {
                    starting.remove(spawnId);
                    if (failure != null && Reason.cause(failure) instanceof BrigException) {
                        ungrant(spawnId);
                    }
                });
    }

    private CompletionStage<EgressGrant> grant(String spawnId, SpawnRequest request) {
        granted.put(spawnId, request.withoutPrompt());
        return home.grant(spawnId, request);
    }

    private void ungrant(String spawnId) {
        asks.forget(spawnId);
        if (granted.remove(spawnId) != null) {
            home.ungrant(spawnId).whenComplete((done, failure) -> {
                if (failure != null) {
                    log.warn("a network is served on spawn_id={}: {}", spawnId, failure.toString());
                }
            });
        }
    }

    /** The worker-agent at home may be a new one: it serves all networks again. */
    public void handleHomeUp() {
        granted.forEach(this::grantAgain);
    }

    private CompletionStage<Void> grantAgain(String spawnId, SpawnRequest request) {
        return home.grant(spawnId, request).handle((grant, failure) -> {
            if (failure != null) {
                log.warn("a network is not served spawn_id={}: {}", spawnId, failure.toString());
            }
            return null;
        });
    }

    /**
     * Until then a connection of a worker that ran before this gateway would be refused as one of nobody.
     *
     * <p>Decision 0167.
     */
    CompletionStage<Void> adopted() {
        return adopted;
    }

    /** Something happened to a network. */
    public void handle(EgressHappened happened) {
        if (granted.containsKey(happened.spawnId())) {
            far.tell(happened).whenComplete((told, failure) -> {
                if (failure != null) {
                    log.debug("an event is lost spawn_id={}: {}", happened.spawnId(), failure.toString());
                }
            });
        }
    }

    @Override
    public CompletionStage<Void> abandon(String spawnId) {
        return far.abandon(spawnId).thenRun(() -> ungrant(spawnId));
    }

    /** Networks follow what runs: this is asked whenever a link is new. */
    @Override
    public CompletionStage<WorkersAnswer> list() {
        Set<String> before = new HashSet<>(granted.keySet());
        before.removeAll(starting);
        return far.list().thenApply(all -> {
            Set<String> live = new HashSet<>(all.starting());
            all.workers().stream().filter(worker -> !worker.ended()).forEach(worker -> live.add(worker.spawnId()));
            before.stream().filter(id -> !live.contains(id)).forEach(this::ungrant);
            CompletionStage<Void> served = CompletableFuture.allOf(live.stream()
                    .filter(id -> !granted.containsKey(id))
                    .map(id -> adopt(id).toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new));
            served.thenRun(() -> adopted.complete(null));
            return all;
        });
    }

    private CompletionStage<Void> adopt(String spawnId) {
        SpawnRequest request = requests.apply(spawnId);
        if (request == null) {
            return CompletableFuture.completedFuture(null);
        }
        granted.put(spawnId, request);
        return grantAgain(spawnId, request);
    }

    @Override
    public WorkerStream open(String workerId, StreamLog streamLog, FrameDecoder.Sink frames) {
        return far.open(workerId, streamLog, asks.follow(workerId, frames, () -> ungrant(workerId)));
    }

    @Override
    public CompletionStage<EgressAnswer> egress(String workerId) {
        return home.egress(workerId);
    }

    @Override
    public CompletionStage<EgressDecided> decideEgress(
            String workerId, EgressDecision decision, String about, String by, String via) {
        return home.decideEgress(workerId, decision, about, by, via);
    }

    /** What a person decides about a host is settled there, and carried out at home. */
    @Override
    public CompletionStage<AskAnswer> answer(String workerId, String askId, AnswerChoice choice) {
        String about = asks.hostOf(workerId, askId);
        String option = choice.option();
        if (about == null || option == null) {
            return far.answer(workerId, askId, choice);
        }
        EgressDecision decision = HostAsks.decision(option);
        if (decision == null || (decision == EgressDecision.SAVE && !choice.admin())) {
            return CompletableFuture.failedFuture(
                    decision == null
                            ? BrigException.invalid("option", "is none of this ask")
                            : new BrigException(
                                    ErrorCode.FORBIDDEN, "a policy is not of one session: only an admin changes it"));
        }
        return far.answer(workerId, askId, choice)
                .thenCompose(answered -> home.decideEgress(workerId, decision, about, choice.by(), choice.via())
                        .thenApply(decided -> answered));
    }

    @Override
    public CompletionStage<AuditAnswer> audit(String from) {
        return home.audit(from);
    }

    @Override
    public CompletionStage<TestRouteAnswer> testRoute(String route) {
        return home.testRoute(route);
    }

    @Override
    public CompletionStage<ImagesAnswer> images() {
        return home.images();
    }

    @Override
    public CompletionStage<ImagesAnswer.Image> pullImage(String from, String name) {
        return home.pullImage(from, name);
    }

    @Override
    public CompletionStage<ImagesAnswer.Image> removeImage(String name) {
        return home.removeImage(name);
    }
}
