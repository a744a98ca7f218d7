package brig.gateway.worker;

import brig.gateway.stream.StreamLog;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.AskAnswer;
import brig.protocol.control.AuditAnswer;
import brig.protocol.control.CallerTerminal;
import brig.protocol.control.CheckpointAnswer;
import brig.protocol.control.CheckpointsAnswer;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.EgressDecision;
import brig.protocol.control.HelloAnswer;
import brig.protocol.control.ImagesAnswer;
import brig.protocol.control.LendableAnswer;
import brig.protocol.control.MirrorAnswer;
import brig.protocol.control.Provision;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.TestRouteAnswer;
import brig.protocol.control.TunnelWay;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.wire.FrameDecoder;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The worker-agents of all hosts as one. What is about a worker goes to the host that the worker is bound to; a request
 * for a new one to the host that the request names; everything else to the gateway's own host. Owned by the event loop.
 *
 * <p>Decision 0156.
 */
public final class WorkerAgents implements WorkerAgent {
    /** Says which host a worker is on; null for the gateway's own, and for a worker that nobody knows. */
    @FunctionalInterface
    public interface Bindings {
        @Nullable
        String hostOf(String workerId);
    }

    /** Finds the ways to hosts, for tunnels. */
    @FunctionalInterface
    public interface Ways {
        /** Null if there is no link to that host now, or no such host. */
        @Nullable
        TunnelWay to(String host);
    }

    private static final int AGAIN_SECONDS = 5;

    private final WorkerAgent local;
    private final Bindings bindings;
    private final RepositoryTransfers repositories;
    private final Map<String, WorkerAgent> remote = new HashMap<>();
    private Ways ways = host -> null;

    /** @param local the worker-agent of the gateway's own host */
    public WorkerAgents(WorkerAgent local, Bindings bindings) {
        this.local = local;
        this.bindings = bindings;
        this.repositories = new RepositoryTransfers(local);
    }

    /** Who knows the ways to hosts. */
    public void follow(Ways newWays) {
        ways = newWays;
    }

    /** A host became known. */
    public void add(String host, WorkerAgent agent) {
        remote.put(host, agent);
    }

    /** A host is no longer known. */
    public void remove(String host) {
        remote.remove(host);
    }

    /** Whether there is such a host; null is the gateway's own. */
    public boolean has(@Nullable String host) {
        return host == null || remote.containsKey(host);
    }

    /** Lists the workers of a host; null is the gateway's own. */
    public CompletionStage<WorkersAnswer> list(@Nullable String host) {
        return at(host, WorkerAgent::list);
    }

    /** As {@link #abandon(String)}, on that host: also for a worker that nobody knows. */
    public CompletionStage<Void> abandon(@Nullable String host, String workerId) {
        return at(host, agent -> agent.abandon(workerId));
    }

    /** As {@link #doctor()}, on that host. */
    public CompletionStage<DoctorAnswer> doctor(@Nullable String host) {
        return at(host, WorkerAgent::doctor);
    }

    private <T> CompletionStage<T> at(@Nullable String host, Function<WorkerAgent, CompletionStage<T>> call) {
        @Nullable WorkerAgent agent = host == null ? local : remote.get(host);
        return agent != null
                ? call.apply(agent)
                : CompletableFuture.failedFuture(new BrigException(
                        ErrorCode.HOST_UNREACHABLE, "the host " + host + " is not known any more", 1));
    }

    /** As {@link #at}, for what a client waits for. */
    private <T> CompletionStage<T> reached(@Nullable String host, Function<WorkerAgent, CompletionStage<T>> call) {
        return at(host, call).exceptionallyCompose(failure -> {
            Throwable cause = Reason.cause(failure);
            boolean lost = host != null
                    && cause instanceof BrigException refusal
                    && refusal.code() == ErrorCode.WORKER_AGENT_UNAVAILABLE;
            return CompletableFuture.failedFuture(
                    lost
                            ? new BrigException(
                                    ErrorCode.HOST_UNREACHABLE,
                                    "the host " + host + " is out of reach: " + cause.getMessage(),
                                    1)
                            : cause);
        });
    }

    /**
     * Provides what a worker needs besides its request: brings its repository to its host, as far as it is not there,
     * and finds the ways of its tunnels. It may take long, and is to be done before the spawn is asked for.
     *
     * @param percent hears how much of the repository is there
     */
    public CompletionStage<Provision> provide(
            String spawnId, SpawnRequest request, SpawnRequest.Asker asker, IntConsumer percent) {
        @Nullable String host = request.place().host();
        if (host == null || !request.workspaceMode().isWorktree()) {
            return waysOf(request).thenApply(Provision.NONE::with);
        }
        return reached(host, far -> repositories.bring(spawnId, far, host, request, asker, percent))
                .thenApply(start -> Provision.of(start));
    }

    /** Fails with {@code HOST_UNREACHABLE} if there is no way to the host of one of its tunnels. */
    private CompletionStage<List<TunnelWay>> waysOf(SpawnRequest request) {
        List<TunnelWay> found = new ArrayList<>();
        for (SpawnRequest.Tunnel tunnel : request.place().tunnels()) {
            TunnelWay way = ways.to(tunnel.host());
            if (way == null) {
                return CompletableFuture.failedFuture(new BrigException(
                        ErrorCode.HOST_UNREACHABLE,
                        "there is no link to the host " + tunnel.host() + "; 'brig host list' says why",
                        AGAIN_SECONDS));
            }
            found.add(way);
        }
        return CompletableFuture.completedFuture(found);
    }

    private <T> CompletionStage<T> about(String workerId, Function<WorkerAgent, CompletionStage<T>> call) {
        return at(bindings.hostOf(workerId), call);
    }

    @Override
    public CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker) {
        @Nullable String host = request.place().host();
        CompletionStage<Void> checked =
                waysOf(request).thenCompose(_ -> at(host, agent -> agent.check(request, asker)));
        return host != null && request.workspaceMode().isWorktree()
                ? checked.thenCombine(repositories.check(request, asker), (there, here) -> null)
                : checked;
    }

    /** Refuses a request whose repository may not be brought to another host; without one it does nothing. */
    public CompletionStage<Void> checkRepository(SpawnRequest request, SpawnRequest.Asker asker) {
        return request.workspaceMode().isWorktree()
                ? repositories.check(request, asker)
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<SpawnAnswer> spawn(
            String spawnId, SpawnRequest request, SpawnRequest.Asker asker, Provision with) {
        return at(request.place().host(), agent -> agent.spawn(spawnId, request, asker, with));
    }

    @Override
    public CompletionStage<LendableAnswer> lendable(
            @Nullable String spawnId, SpawnRequest request, SpawnRequest.Asker asker) {
        return local.lendable(spawnId, request, asker);
    }

    @Override
    public CompletionStage<MirrorAnswer> mirror(String mirror) {
        return local.mirror(mirror);
    }

    @Override
    public CompletionStage<Transfer> transfer() {
        return local.transfer();
    }

    @Override
    public CompletionStage<Void> terminate(String spawnId, String reason) {
        return about(spawnId, agent -> agent.terminate(spawnId, reason));
    }

    @Override
    public CompletionStage<Void> abandon(String spawnId) {
        return about(spawnId, agent -> agent.abandon(spawnId));
    }

    @Override
    public CompletionStage<WorkersAnswer> list() {
        return local.list();
    }

    @Override
    public CompletionStage<HelloAnswer> hello() {
        return local.hello();
    }

    @Override
    public CompletionStage<DiffAnswer> diff(String spawnId, @Nullable String to, boolean stat) {
        @Nullable String host = bindings.hostOf(spawnId);
        if (to != null && (host != null || bindings.hostOf(to) != null)) {
            throw BrigException.invalid(
                    "to", "can be compared only on the gateway's own host, and one of the two sessions is on another");
        }
        return reached(host, agent -> agent.diff(spawnId, to, stat));
    }

    @Override
    public CompletionStage<ApplyAnswer> apply(String spawnId, boolean check, List<String> allow) {
        @Nullable String host = bindings.hostOf(spawnId);
        return host == null
                ? local.apply(spawnId, check, allow)
                : reached(host, far -> repositories.apply(far, spawnId, check, allow));
    }

    /** Keeps the changes of a spawn here, before its host is gone; without any it does nothing. */
    public CompletionStage<Void> keep(String host, String spawnId) {
        return at(host, far -> repositories.keep(far, spawnId))
                .exceptionallyCompose(failure ->
                        Reason.cause(failure) instanceof BrigException refusal && refusal.code() == ErrorCode.NOT_FOUND
                                ? CompletableFuture.completedFuture(null)
                                : CompletableFuture.failedFuture(failure));
    }

    @Override
    public CompletionStage<CheckpointAnswer> checkpoint(String spawnId, long lastSeq) {
        return reached(bindings.hostOf(spawnId), there -> there.checkpoint(spawnId, lastSeq));
    }

    @Override
    public CompletionStage<CheckpointsAnswer> checkpoints(String spawnId) {
        return reached(bindings.hostOf(spawnId), there -> there.checkpoints(spawnId));
    }

    @Override
    public CompletionStage<CheckpointAnswer> restore(String spawnId, @Nullable Long at, long lastSeq) {
        return reached(bindings.hostOf(spawnId), there -> there.restore(spawnId, at, lastSeq));
    }

    /** Those of all hosts in reach, and which hosts are not. */
    @Override
    public CompletionStage<WorkspacesAnswer> workspaces() {
        CompletionStage<WorkspacesAnswer> all = local.workspaces();
        for (Map.Entry<String, WorkerAgent> one : new TreeMap<>(remote).entrySet()) {
            String host = one.getKey();
            CompletionStage<WorkspacesAnswer> more = one.getValue()
                    .workspaces()
                    .thenApply(there -> new WorkspacesAnswer(
                            there.workspaces().stream()
                                    .map(kept -> kept.on(host))
                                    .toList(),
                            there.roots().stream().map(root -> root.on(host)).toList()))
                    .exceptionally(failure -> new WorkspacesAnswer(List.of(), List.of(), List.of(host)));
            all = all.thenCombine(more, WorkerAgents::joined);
        }
        return all;
    }

    private static WorkspacesAnswer joined(WorkspacesAnswer one, WorkspacesAnswer other) {
        List<WorkspacesAnswer.KeptWorkspace> both = new ArrayList<>(one.workspaces());
        both.addAll(other.workspaces());
        List<WorkspacesAnswer.KeptRoot> roots = new ArrayList<>(one.roots());
        roots.addAll(other.roots());
        List<String> outOfReach = new ArrayList<>(one.outOfReach());
        outOfReach.addAll(other.outOfReach());
        return new WorkspacesAnswer(both, roots, outOfReach);
    }

    @Override
    public CompletionStage<DiscardAnswer> discard(String spawnId) {
        @Nullable String host = bindings.hostOf(spawnId);
        return host == null
                ? local.discard(spawnId)
                : reached(host, far -> far.discard(spawnId))
                        .thenCompose(gone -> local.discard(spawnId).handle((lent, nothingLent) -> gone));
    }

    /** On the first host that has it, this one first: its id says nothing of the host. */
    @Override
    public CompletionStage<WorkspacesAnswer.KeptRoot> discardRoot(String root, SpawnRequest.Asker asker) {
        return workspaces()
                .thenCompose(kept -> kept.roots().stream()
                        .filter(one -> one.id().equals(root))
                        .findFirst()
                        .map(one -> reached(one.host(), far -> far.discardRoot(root, asker))
                                .thenApply(gone -> gone.on(one.host())))
                        .orElseGet(() -> local.discardRoot(root, asker)));
    }

    @Override
    public CompletionStage<EgressAnswer> egress(String workerId) {
        return about(workerId, agent -> agent.egress(workerId));
    }

    @Override
    public CompletionStage<EgressDecided> decideEgress(
            String workerId, EgressDecision decision, String about, String by, String via) {
        return about(workerId, agent -> agent.decideEgress(workerId, decision, about, by, via));
    }

    @Override
    public CompletionStage<AskAnswer> answer(String workerId, String askId, AnswerChoice choice) {
        return about(workerId, agent -> agent.answer(workerId, askId, choice));
    }

    @Override
    public CompletionStage<AuditAnswer> audit(String from) {
        return local.audit(from);
    }

    @Override
    public CompletionStage<Channel> dial(String workerId, int port) {
        return about(workerId, agent -> agent.dial(workerId, port));
    }

    @Override
    public CompletionStage<Channel> shell(String workerId, CallerTerminal terminal) {
        return about(workerId, agent -> agent.shell(workerId, terminal));
    }

    @Override
    public CompletionStage<TestRouteAnswer> testRoute(String route) {
        return local.testRoute(route);
    }

    @Override
    public CompletionStage<ImagesAnswer> images() {
        return local.images();
    }

    @Override
    public CompletionStage<ImagesAnswer.Image> pullImage(String from, String name) {
        return local.pullImage(from, name);
    }

    @Override
    public CompletionStage<ImagesAnswer.Image> removeImage(String name) {
        return local.removeImage(name);
    }

    @Override
    public CompletionStage<DoctorAnswer> doctor() {
        return local.doctor();
    }

    /** Only of the gateway's own host: work on others goes on. */
    @Override
    public CompletionStage<Void> shutdown() {
        return local.shutdown();
    }

    @Override
    public WorkerStream open(String workerId, StreamLog log, FrameDecoder.Sink frames) {
        @Nullable String host = bindings.hostOf(workerId);
        @Nullable WorkerAgent agent = host == null ? local : remote.get(host);
        if (agent == null) {
            throw new IllegalStateException("no frames come from " + host + ", which is not known");
        }
        return agent.open(workerId, log, frames);
    }
}
