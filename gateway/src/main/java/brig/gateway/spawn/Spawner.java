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
import brig.gateway.worker.WorkerStream;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.SpawnState;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import brig.protocol.spawn.SpawnRequest;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Starts spawns and ends them.
 *
 * <p>The order of a start: limits, then the record on disk, then the session socket; now the spawn can be named. Then the
 * record that the worker-agent is being asked, then the worker. Whatever fails undoes what came before it and leaves the record with its error. Where
 * the worker-agent's answer is lost nothing is undone: the {@link Reconciler} finds out, and the caller waits for that.
 * State owned by the event loop.
 *
 * <p>Decisions 0036, 0038.
 */
public final class Spawner {
    /** What the spawner works with. */
    public record Services(
            WorkerAgent workers,
            SpawnStore store,
            StreamLogs logs,
            Clock clock,
            Timers timers,
            DerivedSecrets secrets,
            Telemetry telemetry) {}

    /** Who runs workers: the worker-agent of this gateway. */
    static final String PROVIDER = SpawnRequest.Claim.LOCAL;
    /** Who ends a spawn where nobody asked for that. */
    public static final String ITSELF = "brig";
    /** Some hundred times what the check takes. */
    private static final long CHECK_MS = 250;
    /** Between two questions of one who waits for the worker-agent to start more. */
    private static final long AGAIN_MS = 250;
    /** How long a spawn that was accepted waits for that; many times what the checks let through at one moment. */
    private static final long ACCEPTED_MS = 30_000;

    private static final double MS_PER_SECOND = 1_000;
    /** An operator may add one; that takes its time. */
    private final Services parts;

    private final Admission admission;
    private final Spawns spawns;
    private final SessionSocketOpener sessionSockets;
    private final Transitions transitions;
    private final Requests requests;
    private final Reconciler reconciler;
    private final TrackedSessions tracking;
    /** Spawns whose start this process is in the middle of; the reconciler leaves them alone. */
    private final Set<Spawn> starting = new HashSet<>();
    /** Requests and spawns that wait for the worker-agent to start more. */
    private int retrying;

    public Spawner(Services parts, Admission admission, Spawns spawns, SessionSocketOpener sessionSockets) {
        this.parts = parts;
        this.admission = admission;
        this.spawns = spawns;
        this.sessionSockets = sessionSockets;
        transitions = new Transitions(parts, spawns, sessionSockets);
        tracking = new TrackedSessions(parts, spawns, transitions);
        requests = new Requests(parts, spawns, sessionSockets);
        reconciler = new Reconciler(parts, admission, spawns, transitions, starting::contains);
    }

    /**
     * Begins a spawn, when there is a place for it. A request with a request_id that was begun in the last 24 hours begins
     * nothing and gets that spawn.
     *
     * @param asker whose captain is {@code uid:<n>}, {@code admin} or the name of a captain's token
     * @return completes when the spawn is on disk, before the worker is asked for; fails with a refusal, of which nothing is left
     */
    public CompletionStage<AcceptedSpawn> spawn(SpawnRequest request, Admission.Applicant asker) {
        String requestId = request.claim().requestId();
        return requestId == null
                ? launch(request, asker, null)
                : requests.once(request, asker.asker(), requestId, claim -> launch(request, asker, claim));
    }

    private CompletionStage<AcceptedSpawn> launch(
            SpawnRequest request, Admission.Applicant asker, @Nullable RequestRecord claim) {
        try {
            requireProvider(request.claim().provider());
            requireFree(request.taskId());
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
                .thenCompose(slot -> launch(request, asker.asker(), slot, claim, trace))
                .whenComplete((accepted, failure) -> {
                    if (failure != null) {
                        trace.end(reason(failure).code().name());
                    }
                });
    }

    /**
     * Asks whether the worker-agent would refuse the request. One that takes its time over that is not waited for: what it
     * refuses later the spawn fails with.
     */
    private CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker) {
        CompletableFuture<Void> checked =
                parts.workers().check(request, asker).toCompletableFuture().copy();
        Timers.Timer late = parts.timers().after(CHECK_MS, () -> checked.complete(null));
        return checked.whenComplete((fine, refusal) -> late.cancel())
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(unavailable(failure)));
    }

    /** The same, again and again for who waits, while the worker-agent starts no more for the moment. */
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

    /** Whether the worker-agent refused and did nothing, and may not refuse soon. */
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

    private static void requireProvider(String name) {
        if (!name.equals(PROVIDER)) {
            throw Fields.invalid("provider", "names nobody who runs workers for this gateway; there is " + PROVIDER);
        }
    }

    /** A worker-agent that cannot be asked now: nothing of the request is left, and a client may go elsewhere with it. */
    private static Throwable unavailable(Throwable failure) {
        BrigException refusal = reason(failure);
        return refusal.code() != ErrorCode.WORKER_AGENT_UNAVAILABLE
                ? refusal
                : new BrigException(
                        ErrorCode.PROVIDER_UNAVAILABLE,
                        "the worker-agent of the provider " + PROVIDER + " is out of reach",
                        1);
    }

    private CompletionStage<AcceptedSpawn> launch(
            SpawnRequest request,
            SpawnRequest.Asker asker,
            Lease slot,
            @Nullable RequestRecord claim,
            SpawnTrace trace) {
        try {
            // Again: while this one waited, another may have taken the name.
            requireFree(request.taskId());
        } catch (BrigException refusal) {
            slot.close();
            return CompletableFuture.failedFuture(refusal);
        }
        String spawnId = Ids.newSpawnId(parts.clock().nowMs());
        String captainToken = claim == null ? Ids.newToken() : parts.secrets().token("captain", spawnId);
        String watcherToken = claim == null ? Ids.newToken() : parts.secrets().token("watcher", spawnId);
        Spawn spawn = admit(
                spawnId,
                request,
                asker.captain(),
                new SpawnRecord.Hashes(Ids.hashToken(captainToken), Ids.hashToken(watcherToken)));
        spawn.hold(slot);
        starting.add(spawn);
        LogEvents.audit("spawn", spawn.audited(asker.captain()));
        watchFirstChunk(spawn, request);
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
                            start(spawn, request, asker, trace));
                });
    }

    /** A start that comes to nothing ends the spawn. */
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

    private Spawn admit(String spawnId, SpawnRequest request, String captain, SpawnRecord.Hashes hashes) {
        long nowMs = parts.clock().nowMs();
        String taskId = request.taskId() == null ? spawnId : request.taskId();
        SpawnRecord.Origin origin = new SpawnRecord.Origin(
                request.claim().requestId(),
                request.claim().project(),
                PROVIDER,
                captain,
                request.agent(),
                withoutPrompt(request));
        SpawnRecord record = new SpawnRecord(
                spawnId,
                taskId,
                null,
                Ids.newEpoch(),
                origin,
                hashes,
                SpawnRecord.Course.requested(new ProviderBinding(spawnId).toJson()),
                new SpawnRecord.Times(nowMs, 0, nowMs, 0));
        Spawn spawn = new Spawn(record, parts.logs().create(spawnId, record.epoch(), 0));
        spawns.add(spawn);
        return spawn;
    }

    private CompletionStage<Void> record(Spawn spawn, @Nullable RequestRecord claim) {
        return claim == null ? transitions.save(spawn) : parts.store().begin(spawn.record(), claim.by(spawn.spawnId()));
    }

    /** Who sends no prompt waits for nothing: how long its agent is silent says nothing of Brig. */
    private void watchFirstChunk(Spawn spawn, SpawnRequest request) {
        if (request.prompt() != null && !request.prompt().isEmpty()) {
            spawn.log().atFirstChunk(() -> parts.telemetry().counters().handleFirstChunk(age(spawn)));
        }
    }

    private double age(Spawn spawn) {
        return (parts.clock().nowMs() - spawn.createdMs()) / MS_PER_SECOND;
    }

    /** @return completes with the workspace when the worker runs */
    private CompletionStage<String> start(
            Spawn spawn, SpawnRequest request, SpawnRequest.Asker asker, SpawnTrace trace) {
        trace.step("note");
        return transitions
                .becomeSpawning(spawn)
                .thenCompose(saved -> {
                    trace.step("worker");
                    return ask(spawn, request, asker, parts.clock().nowMs() + ACCEPTED_MS);
                })
                .thenAccept(started -> {
                    transitions.becomeRunning(spawn, started);
                    parts.telemetry().counters().handleRunning(age(spawn));
                })
                .exceptionallyCompose(failure -> cause(failure) instanceof WorkerAgent.UnansweredException
                        ? findOut(spawn)
                        : CompletableFuture.failedFuture(failure))
                .whenComplete((started, failure) -> {
                    starting.remove(spawn);
                    checkFailed(spawn, failure);
                    trace.end(failure == null ? null : reason(failure).code().name());
                })
                .thenApply(started -> spawn.workspace());
    }

    /**
     * Many that were accepted at one moment may be more than the worker-agent starts in it: then some start a little
     * later.
     */
    private CompletionStage<SpawnAnswer> ask(
            Spawn spawn, SpawnRequest request, SpawnRequest.Asker asker, long deadlineMs) {
        return parts.workers().spawn(spawn.spawnId(), request, asker).exceptionallyCompose(failure -> {
            boolean waits = isFull(failure) && parts.clock().nowMs() < deadlineMs && !spawn.isUnwanted();
            return waits
                    ? later().thenCompose(again -> ask(spawn, request, asker, deadlineMs))
                    : CompletableFuture.failedFuture(failure);
        });
    }

    /** The worker-agent was asked and did not answer: the worker may be there. Who waits for it waits until that is known. */
    private CompletionStage<Void> findOut(Spawn spawn) {
        starting.remove(spawn);
        reconciler.doubt(spawn);
        reconciler.reconcileSoon();
        return spawn.settled()
                .thenAccept(settled -> spawn.failure().ifPresent(failure -> {
                    throw failure;
                }));
    }

    /** Begins a session of an agent that Brig did not start; see {@link TrackedSessions#begin}. */
    public CompletionStage<TrackedSession> track(SpawnerRequest.Track request, String captain, WorkerStream teller) {
        return tracking.begin(request, captain, teller);
    }

    /**
     * Begins to stop a spawn's worker; a spawn that has ended stays as it is. Of an agent that Brig did not start only the
     * session ends.
     *
     * @param by whose wish it is: a captain, or {@link #ITSELF}
     */
    public CompletionStage<Void> terminate(Spawn spawn, String reason, String by) {
        if (!spawn.state().isFinal()) {
            LogEvents.audit("terminate", spawn.audited(by).with("reason", reason));
        }
        if (spawn.isTracked()) {
            transitions.endTracked(spawn, null, reason);
            return CompletableFuture.completedFuture(null);
        }
        if (spawn.isGivenUp()) {
            return reconciler.abandon(spawn);
        }
        if (spawn.state().isFinal()) {
            return CompletableFuture.completedFuture(null);
        }
        if (spawn.state() != SpawnState.RUNNING) {
            // It ends when it is up, whether or not somebody can be told now.
            spawn.setUnwanted();
            if (starting.contains(spawn)) {
                return CompletableFuture.completedFuture(null);
            }
        }
        spawn.log().letGo();
        return parts.workers()
                .terminate(spawn.binding().workerId(), reason)
                .exceptionallyCompose(failure -> spawn.isUnwanted()
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(failure));
    }

    /**
     * The agent's own id for what runs in that spawn is known.
     *
     * @throws BrigException {@code INVALID_FIELD} where another spawn that lives has that id, or this one has another
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
            throw Fields.invalid("session_id", taken ? "belongs to another spawn" : "is another than before");
        }
        spawn.setSessionId(sessionId);
        spawns.index(spawn);
        transitions.save(spawn);
    }

    /** Reads what an earlier process left. Nothing is connected yet: {@link #reconcile} does that. */
    public CompletionStage<Void> recover() {
        requests.sweep();
        return reconciler.recover();
    }

    /** The link to the worker-agent is up: compares what the gateway believes to run with what the worker-agent has. */
    public CompletionStage<Void> reconcile() {
        return reconciler.reconcile();
    }

    /** The worker-agent is out of reach. */
    public void handleDown() {
        reconciler.handleDown();
    }

    /** Takes up the worker of a spawn that was given up, as a new spawn; see {@link Reconciler#rebind}. */
    public CompletionStage<Spawn> rebind(Spawn spawn) {
        return reconciler.rebind(spawn);
    }

    /** A prompt may hold what its writer would not like to find on a disk. */
    private static String withoutPrompt(SpawnRequest request) {
        return new String(Json.write(request.withoutPrompt()), StandardCharsets.UTF_8);
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    static BrigException reason(Throwable failure) {
        return cause(failure) instanceof BrigException refusal
                ? refusal
                : new BrigException(ErrorCode.INTERNAL, "the spawn failed: " + cause(failure));
    }
}
