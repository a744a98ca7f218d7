package brig.gateway.spawn;

import brig.gateway.limits.Admission;
import brig.gateway.limits.Lease;
import brig.gateway.store.RequestRecord;
import brig.gateway.store.SpawnRecord;
import brig.gateway.store.SpawnStore;
import brig.gateway.telemetry.LogEvents;
import brig.gateway.telemetry.SpawnTrace;
import brig.gateway.telemetry.Telemetry;
import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.gateway.worker.WorkerAgent;
import brig.gateway.worker.WorkerAgents;
import brig.gateway.worker.WorkerStream;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Reason;
import brig.protocol.SpawnState;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.Fork;
import brig.protocol.control.Provision;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.spawn.SpawnRequest;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Starts and ends spawns.
 *
 * <p>The order of a start: limits, the record on disk, the session socket; now the spawn can be named. Then the record
 * that the worker-agent is being asked, the sandbox if a provider is to make one, the repository if the worker is on another
 * host, then the worker. A failure undoes the earlier steps and leaves the record with
 * its error. If the worker-agent's answer is lost, nothing is undone: the caller waits for the {@link Reconciler} to
 * find out. Owned by the event loop.
 *
 * <p>Decisions 0036, 0038.
 */
public final class Spawner {
    /** The spawner's dependencies. */
    public record Services(
            WorkerAgents workers,
            Placement.Directory hosts,
            SandboxPlaces sandboxes,
            SpawnStore store,
            StreamLogs logs,
            Clock clock,
            Timers timers,
            DerivedSecrets secrets,
            Telemetry telemetry,
            Recorders recorders,
            Peers peers) {
        /** Of a gateway alone. */
        public Services(
                WorkerAgents workers,
                Placement.Directory hosts,
                SandboxPlaces sandboxes,
                SpawnStore store,
                StreamLogs logs,
                Clock clock,
                Timers timers,
                DerivedSecrets secrets,
                Telemetry telemetry) {
            this(
                    workers,
                    hosts,
                    sandboxes,
                    store,
                    logs,
                    clock,
                    timers,
                    secrets,
                    telemetry,
                    Recorders.onDisk(clock),
                    Peers.NONE);
        }
    }

    /** The provider of workers: Brig's own worker-agents, here and on other hosts. */
    static final String PROVIDER = SpawnRequest.Claim.LOCAL;
    /** The originator of ends that nobody requested. */
    public static final String ITSELF = "brig";
    /** A hundred times the usual duration of the check. */
    private static final long CHECK_MS = 250;
    /** Retry interval while the worker-agent starts no more workers. */
    private static final long AGAIN_MS = 250;
    /** How long an accepted spawn retries that; many times what concurrent admissions can cause. */
    private static final long ACCEPTED_MS = 30_000;

    private static final double MS_PER_SECOND = 1_000;
    private final Services parts;

    private final Admission admission;
    private final Spawns spawns;
    private final SessionSocketOpener sessionSockets;
    private final Placement placement;
    private final Transitions transitions;
    private final Requests requests;
    private final Reconciler reconciler;
    private final TrackedSessions tracking;
    private final SharedSpawns shared;
    /** Spawns that this process is starting; the reconciler ignores them. */
    private final Set<Spawn> starting = new HashSet<>();
    /** Requests and spawns that retry until the worker-agent starts more. */
    private int retrying;

    public Spawner(Services parts, Admission admission, Spawns spawns, SessionSocketOpener sessionSockets) {
        this.parts = parts;
        this.admission = admission;
        this.spawns = spawns;
        this.sessionSockets = sessionSockets;
        placement = new Placement(parts.hosts(), spawns);
        transitions = new Transitions(parts, spawns, sessionSockets);
        tracking = new TrackedSessions(parts, spawns, transitions);
        requests = new Requests(parts, spawns, sessionSockets);
        reconciler = new Reconciler(parts, admission, spawns, transitions, starting::contains);
        shared = new SharedSpawns(parts, admission, spawns, transitions, sessionSockets);
    }

    /**
     * Begins a spawn when there is a place for it. A request_id of the last 24 hours returns its existing spawn.
     *
     * @param asker whose captain is {@code uid:<n>}, {@code admin} or the name of a captain's token
     * @return completes when the spawn is on disk, before the worker is requested; fails with a refusal, without side
     *     effects
     */
    public CompletionStage<AcceptedSpawn> spawn(SpawnRequest request, Admission.Applicant asker) {
        String requestId = request.claim().requestId();
        return requestId == null
                ? launch(new Wanted(request, null), asker, null)
                : requests.once(
                        request, asker.asker(), requestId, claim -> launch(new Wanted(request, null), asker, claim));
    }

    /**
     * Begins a spawn that begins with another one, as {@link #spawn(SpawnRequest, Admission.Applicant)}.
     *
     * @param request whose workspace is a worktree of the same repository, on the same host
     */
    public CompletionStage<AcceptedSpawn> fork(SpawnRequest request, Fork fork, Admission.Applicant asker) {
        return launch(new Wanted(request, fork), asker, null);
    }

    /** @param fork what it begins with; null for nothing */
    private record Wanted(SpawnRequest request, @Nullable Fork fork) {
        String toStore() {
            return StoredRequest.of(request, fork == null ? null : fork.from()).json();
        }
    }

    private CompletionStage<AcceptedSpawn> launch(
            Wanted wanted, Admission.Applicant asker, @Nullable RequestRecord claim) {
        SpawnRequest request = wanted.request();
        try {
            if (isSandboxed(request)) {
                parts.sandboxes().require(request);
            }
            requireFree(request.taskId());
            SpawnRequest placed = placement.place(request);
            if (parts.peers().isTheirs(placed.place().host())) {
                return parts.peers().spawn(placed, wanted.fork(), asker);
            }
        } catch (BrigException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
        SpawnTrace trace = parts.telemetry().traces().begin();
        trace.attribute("brig.agent", request.agent());
        trace.step("check");
        return checkAgain(request, asker, parts.clock().nowMs() + asker.waitMs())
                .thenCompose(fine -> {
                    trace.step("admission");
                    return admission.enter(asker);
                })
                .thenCompose(slot -> launch(wanted, asker.asker(), slot, claim, trace))
                .whenComplete((accepted, failure) -> {
                    if (failure != null) {
                        trace.end(reason(failure).code().name());
                    }
                });
    }

    /**
     * Asks whether the worker-agent would refuse the request. A slow check is not awaited: if it is refused later, the
     * spawn fails with that refusal.
     */
    private CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker) {
        SpawnRequest placed;
        try {
            placed = isSandboxed(request) ? request : placement.place(request);
        } catch (BrigException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
        CompletableFuture<Void> checked = (isSandboxed(request)
                        ? parts.sandboxes().check(request, asker)
                        : parts.workers().check(placed, asker))
                .toCompletableFuture()
                .copy();
        Timers.Timer late = parts.timers().after(CHECK_MS, () -> checked.complete(null));
        return checked.whenComplete((fine, refusal) -> late.cancel())
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        unavailable(failure, placed.place().host())));
    }

    /** Repeats the check for a waiting request while the worker-agent temporarily starts no more. */
    private CompletionStage<Void> checkAgain(SpawnRequest request, Admission.Applicant asker, long deadlineMs) {
        return check(request, asker.asker()).exceptionallyCompose(failure -> {
            boolean waits = isFull(failure)
                    && parts.clock().nowMs() + AGAIN_MS <= deadlineMs
                    && !asker.gone().getAsBoolean()
                    && retrying < admission.bounds().queueMax();
            return waits
                    ? later().thenCompose(again -> checkAgain(request, asker, deadlineMs))
                    : CompletableFuture.failedFuture(failure);
        });
    }

    /** Whether the worker-agent refused temporarily, without side effects. */
    private static boolean isFull(Throwable failure) {
        ErrorCode code = reason(failure).code();
        return code == ErrorCode.PROVIDER_RATE_LIMITED || code == ErrorCode.MAX_WORKERS;
    }

    private CompletionStage<Void> later() {
        CompletableFuture<Void> later = new CompletableFuture<>();
        retrying++;
        parts.timers().after(AGAIN_MS, () -> {
            retrying--;
            later.complete(null);
        });
        return later;
    }

    /** Whether it is to run in a sandbox of its own. */
    private static boolean isSandboxed(SpawnRequest request) {
        return !request.claim().provider().equals(PROVIDER);
    }

    /** The failure if the worker-agent is unreachable: without side effects, so clients may try elsewhere. */
    private static Throwable unavailable(Throwable failure, @Nullable String host) {
        BrigException refusal = reason(failure);
        if (refusal.code() != ErrorCode.WORKER_AGENT_UNAVAILABLE) {
            return refusal;
        }
        return host != null
                ? new BrigException(
                        ErrorCode.HOST_UNREACHABLE, "the worker-agent of the host " + host + " is out of reach", 1)
                : new BrigException(
                        ErrorCode.PROVIDER_UNAVAILABLE,
                        "the worker-agent of the provider " + PROVIDER + " is out of reach",
                        1);
    }

    private CompletionStage<AcceptedSpawn> launch(
            Wanted wanted, SpawnRequest.Asker asker, Lease slot, @Nullable RequestRecord claim, SpawnTrace trace) {
        String spawnId = Ids.newSpawnId(parts.clock().nowMs());
        Wanted placed;
        try {
            // Again: another request may have taken the name or the place meanwhile.
            requireFree(wanted.request().taskId());
            placed = new Wanted(place(wanted.request(), spawnId), wanted.fork());
        } catch (BrigException refusal) {
            slot.close();
            return CompletableFuture.failedFuture(refusal);
        }
        String captainToken = claim == null ? Ids.newToken() : parts.secrets().token("captain", spawnId);
        String watcherToken = claim == null ? Ids.newToken() : parts.secrets().token("watcher", spawnId);
        Spawn spawn = admit(
                spawnId,
                placed,
                asker.captain(),
                new SpawnRecord.Hashes(Ids.hashToken(captainToken), Ids.hashToken(watcherToken)));
        spawn.hold(slot);
        starting.add(spawn);
        LogEvents.audit("spawn", spawn.audited(asker.captain()));
        watchFirstChunk(spawn, placed.request());
        trace.attribute("brig.spawn_id", spawnId);
        trace.step("record");
        return record(spawn, claim)
                .thenCompose(saved -> {
                    trace.step("socket");
                    return sessionSockets.open(spawn);
                })
                .whenComplete((socket, failure) -> checkFailed(spawn, failure))
                .thenApply(socket -> {
                    spawn.setIoSocket(socket);
                    return new AcceptedSpawn(
                            spawnId,
                            spawn.taskId(),
                            captainToken,
                            watcherToken,
                            socket,
                            start(spawn, placed, asker, trace));
                });
    }

    private SpawnRequest place(SpawnRequest request, String spawnId) {
        if (!isSandboxed(request)) {
            return placement.place(request);
        }
        parts.sandboxes().require(request);
        return request.at(parts.sandboxes().hostOf(spawnId));
    }

    /** Ends the spawn if its start failed. */
    private void checkFailed(Spawn spawn, @Nullable Throwable failure) {
        if (failure != null) {
            starting.remove(spawn);
            transitions.fail(spawn, reason(failure));
        }
    }

    private void requireFree(@Nullable String taskId) {
        if (taskId != null && spawns.isLive(taskId)) {
            throw new BrigException(ErrorCode.TASK_ID_IN_USE, "task_id '" + taskId + "' belongs to a live session");
        }
    }

    private Spawn admit(String spawnId, Wanted wanted, String captain, SpawnRecord.Hashes hashes) {
        SpawnRequest request = wanted.request();
        long nowMs = parts.clock().nowMs();
        String taskId = request.taskId() == null ? spawnId : request.taskId();
        SpawnRecord.Origin origin = new SpawnRecord.Origin(
                request.claim().requestId(),
                request.claim().project(),
                request.claim().provider(),
                captain,
                request.agent(),
                wanted.toStore());
        SpawnRecord record = new SpawnRecord(
                spawnId,
                taskId,
                null,
                Ids.newEpoch(),
                origin,
                hashes,
                SpawnRecord.Course.requested(
                        new ProviderBinding(spawnId, request.place().host()).toJson()),
                new SpawnRecord.Times(nowMs, 0, nowMs, 0));
        Spawn spawn = new Spawn(record, parts.logs().create(spawnId, record.epoch(), 0));
        spawns.add(spawn);
        return spawn;
    }

    private CompletionStage<Void> record(Spawn spawn, @Nullable RequestRecord claim) {
        return claim == null ? transitions.save(spawn) : parts.store().begin(spawn.record(), claim.by(spawn.spawnId()));
    }

    /** Only measured with a prompt; otherwise the agent's silence is not Brig's latency. */
    private void watchFirstChunk(Spawn spawn, SpawnRequest request) {
        if (request.prompt() != null && !request.prompt().isEmpty()) {
            spawn.log().atFirstChunk(() -> parts.telemetry().counters().handleFirstChunk(age(spawn)));
        }
    }

    private double age(Spawn spawn) {
        return (parts.clock().nowMs() - spawn.createdMs()) / MS_PER_SECOND;
    }

    /** @return completes with the workspace when the worker runs */
    private CompletionStage<String> start(Spawn spawn, Wanted wanted, SpawnRequest.Asker asker, SpawnTrace trace) {
        SpawnRequest request = wanted.request();
        trace.step("note");
        return transitions
                .becomeSpawning(spawn)
                .thenCompose(saved -> {
                    trace.step("sandbox");
                    return isSandboxed(request) ? provideSandbox(spawn) : CompletableFuture.completedStage(null);
                })
                .thenCompose(ready -> {
                    trace.step("repository");
                    return parts.workers().provide(spawn.spawnId(), request, asker, spawn::handleBrought);
                })
                .thenCompose(with -> {
                    trace.step("worker");
                    return ask(
                            spawn,
                            request,
                            asker,
                            with.with(wanted.fork()),
                            parts.clock().nowMs() + ACCEPTED_MS);
                })
                .thenAccept(started -> {
                    transitions.becomeRunning(spawn, started);
                    parts.telemetry().counters().handleRunning(age(spawn));
                })
                .exceptionallyCompose(failure -> Reason.cause(failure) instanceof WorkerAgent.UnansweredException
                        ? findOut(spawn)
                        : CompletableFuture.failedFuture(failure))
                .whenComplete((started, failure) -> {
                    starting.remove(spawn);
                    checkFailed(spawn, failure);
                    trace.end(failure == null ? null : reason(failure).code().name());
                })
                .thenApply(started -> spawn.workspace());
    }

    private CompletionStage<Void> provideSandbox(Spawn spawn) {
        return parts.sandboxes()
                .provide(
                        spawn,
                        () -> spawn.isUnwanted() || spawn.state().isFinal(),
                        doubt -> transitions.becomeDoubtful(spawn, doubt));
    }

    /**
     * Requests the worker. Spawns accepted together may exceed what the worker-agent starts at once; the rest retry.
     */
    private CompletionStage<SpawnAnswer> ask(
            Spawn spawn, SpawnRequest request, SpawnRequest.Asker asker, Provision with, long deadlineMs) {
        return parts.workers().spawn(spawn.spawnId(), request, asker, with).exceptionallyCompose(failure -> {
            // The link to a sandbox may be cut at any moment, and a worker is started once whatever is asked twice.
            boolean again =
                    isFull(failure) || (spawn.isSandboxed() && spawn.state() == SpawnState.SPAWNING && isCut(failure));
            boolean waits = again && parts.clock().nowMs() < deadlineMs && !spawn.isUnwanted();
            return waits
                    ? later().thenCompose(later -> ask(spawn, request, asker, with, deadlineMs))
                    : CompletableFuture.failedFuture(failure);
        });
    }

    private static boolean isCut(Throwable failure) {
        return Reason.cause(failure) instanceof WorkerAgent.UnansweredException
                || reason(failure).code() == ErrorCode.WORKER_AGENT_UNAVAILABLE;
    }

    /** The worker-agent did not answer, so the worker may exist. The caller waits until that is known. */
    private CompletionStage<Void> findOut(Spawn spawn) {
        starting.remove(spawn);
        reconciler.doubt(spawn);
        reconciler.reconcileSoon(spawn.host());
        return spawn.settled()
                .thenAccept(settled -> spawn.failure().ifPresent(failure -> {
                    throw failure;
                }));
    }

    /** Begins a tracked session; see {@link TrackedSessions#begin}. */
    public CompletionStage<TrackedSession> track(SpawnerRequest.Track request, String captain, WorkerStream teller) {
        return tracking.begin(request, captain, teller);
    }

    /**
     * Begins to stop a spawn's worker; an ended spawn stays unchanged. Of a tracked session only the session ends, not
     * the agent.
     *
     * @param by who asked for it: a captain, or {@link #ITSELF}
     */
    public CompletionStage<Void> terminate(Spawn spawn, String reason, String by) {
        if (!spawn.state().isFinal()) {
            LogEvents.audit("terminate", spawn.audited(by).with("reason", reason));
        }
        if (spawn.isTracked()) {
            transitions.endTracked(spawn, null, reason);
            return CompletableFuture.completedFuture(null);
        }
        if (parts.peers().isTheirs(spawn.host())) {
            return parts.peers().terminate(spawn, reason, by);
        }
        if (spawn.isGivenUp()) {
            return reconciler.abandon(spawn);
        }
        boolean isStarting = starting.contains(spawn);
        if (!spawn.state().isFinal() && !isStarting && spawn.isSandboxed() && spawn.state() != SpawnState.RUNNING) {
            return endSandboxed(spawn, reason);
        }
        if (!spawn.state().isFinal() && !isStarting && !parts.workers().has(spawn.host())) {
            reconciler.giveUp(spawn);
            return CompletableFuture.completedFuture(null);
        }
        if (spawn.state().isFinal()) {
            return CompletableFuture.completedFuture(null);
        }
        if (spawn.state() != SpawnState.RUNNING) {
            // It ends as soon as it is up, even if the worker-agent cannot be told now.
            spawn.setUnwanted();
            if (isStarting) {
                return CompletableFuture.completedFuture(null);
            }
        }
        return endWorker(spawn, reason)
                .exceptionallyCompose(failure -> spawn.isUnwanted()
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletionStage<Void> endWorker(Spawn spawn, String reason) {
        // The worker is being ended, which no slow captain may delay.
        spawn.log().setHeldByCaptains(false);
        return parts.workers().terminate(spawn.binding().workerId(), reason);
    }

    /** What is out of reach ends with its sandbox, whoever is in reach. */
    private CompletionStage<Void> endSandboxed(Spawn spawn, String reason) {
        return parts.sandboxes()
                .recall(spawn)
                .thenCompose(
                        back -> back ? reconciler.reconcile(spawn.host()) : CompletableFuture.completedFuture(null))
                .handle((settled, failure) -> spawn.state())
                .thenCompose(state -> {
                    if (state.isFinal()) {
                        return CompletableFuture.completedFuture(null);
                    }
                    return state == SpawnState.RUNNING
                            ? endWorker(spawn, reason)
                            : parts.sandboxes().end(spawn).thenCompose(gone -> transitions.lose(spawn));
                });
    }

    /**
     * Binds the agent's own session id to that spawn.
     *
     * @throws BrigException {@code INVALID_FIELD} if another living spawn has that id, or this one has a different id
     */
    public void bindSession(Spawn spawn, String sessionId) {
        if (sessionId.equals(spawn.sessionId())) {
            return;
        }
        boolean taken = spawns.find(sessionId)
                .filter(other ->
                        sessionId.equals(other.sessionId()) && !other.state().isFinal())
                .isPresent();
        if (taken || spawn.sessionId() != null) {
            throw BrigException.invalid("session_id", taken ? "belongs to another spawn" : "is another than before");
        }
        spawn.setSessionId(sessionId);
        spawns.index(spawn);
        transitions.save(spawn);
    }

    /** Loads the state of an earlier process. Nothing is connected yet: {@link #reconcile} does that. */
    public CompletionStage<Void> recover() {
        requests.sweep();
        return reconciler.recover();
    }

    /** The link to a host's worker-agent is up: reconciles the gateway's state with it. Null is the own host. */
    public CompletionStage<Void> reconcile(@Nullable String host) {
        return reconciler.reconcile(host);
    }

    /** A host's worker-agent is unreachable; null is the gateway's own host. */
    public void handleDown(@Nullable String host) {
        reconciler.handleDown(host);
    }

    /** The provider has no sandbox of that spawn any more: its worker is lost. */
    public void handleSandboxGone(Spawn spawn) {
        if (!spawn.state().isFinal()) {
            var _ = transitions.lose(spawn);
        }
    }

    /**
     * Records what is known of the sandbox of an ended spawn.
     *
     * @param alive whether the provider may still have it
     */
    public void handleSandboxKnown(Spawn spawn, boolean alive) {
        if (!Boolean.valueOf(alive).equals(spawn.binding().alive())) {
            spawn.binding().setAlive(alive);
            transitions.save(spawn);
        }
    }

    /** The spawns that other gateways tell of. */
    public SharedSpawns shared() {
        return shared;
    }

    /** Adopts the worker of a given-up spawn as a new spawn; see {@link Reconciler#rebind}. */
    public CompletionStage<Spawn> rebind(Spawn spawn) {
        return reconciler.rebind(spawn);
    }

    static BrigException reason(Throwable failure) {
        return Reason.cause(failure) instanceof BrigException refusal
                ? refusal
                : new BrigException(ErrorCode.INTERNAL, "the spawn failed: " + Reason.cause(failure));
    }
}
