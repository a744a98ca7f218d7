package brig.gateway.spawn;

import brig.gateway.limits.Admission;
import brig.gateway.store.SpawnRecord;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.SpawnState;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.control.WorkersAnswer.WorkerView;
import brig.protocol.frame.Frame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles the gateway's state with that of each host's worker-agent, after a restart of either and after a lost
 * answer. A worker known to both is followed from the end of its record. A spawn without a worker ends once the
 * worker-agent has promised that none will come. A worker without a spawn is ended. While the gateway's own worker-agent
 * is unreachable its spawns are {@code unknown}, for two minutes; those of another host are {@code unreachable} for as
 * long as its link is lost. Owned by the event loop. A host is null where it is the gateway's own.
 *
 * <p>Decisions 0038, 0156.
 */
final class Reconciler {
    private static final Logger logger = LoggerFactory.getLogger(Reconciler.class);
    static final long UNKNOWN_MS = 120_000;
    private static final long LOOK_AGAIN_MS = 1_000;

    private final Spawner.Services parts;
    private final Admission admission;
    private final Spawns spawns;
    private final Transitions transitions;
    /** Whether this process is starting that spawn; if so, the pending answer decides. */
    private final Predicate<Spawn> starting;

    private final Map<Spawn, Timers.Timer> deadlines = new HashMap<>();
    /** Reconciliations that are due, by host. */
    private final Map<@Nullable String, Timers.Timer> lookAgain = new HashMap<>();

    private final Set<@Nullable String> down = new HashSet<>();

    Reconciler(
            Spawner.Services parts,
            Admission admission,
            Spawns spawns,
            Transitions transitions,
            Predicate<Spawn> starting) {
        this.parts = parts;
        this.admission = admission;
        this.spawns = spawns;
        this.transitions = transitions;
        this.starting = starting;
    }

    /** Loads the state of an earlier process. Nothing is connected yet: {@link #reconcile} does that. */
    CompletionStage<Void> recover() {
        return parts.store().load().thenCompose(records -> {
            long ended = records.stream().filter(Reconciler::isOver).count();
            CompletableFuture<?>[] opened = Stream.concat(
                            records.stream().filter(Reconciler::isOver).skip(Math.max(0, ended - Spawns.ENDED_MAX)),
                            records.stream().filter(record -> !isOver(record)))
                    .map(record -> recover(record).toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new);
            return CompletableFuture.allOf(opened);
        });
    }

    private static boolean isOver(SpawnRecord record) {
        return SpawnState.valueOf(record.course().state()).isFinal();
    }

    private CompletionStage<Void> recover(SpawnRecord record) {
        return reopen(record)
                .exceptionally(failure -> {
                    logger.atError()
                            .addKeyValue("spawn_id", record.spawnId())
                            .log("its record cannot be read: {}", failure.getMessage());
                    return new StreamLogs.Reopened(
                            parts.logs().create(record.spawnId(), record.epoch(), 0), false, null);
                })
                .thenCompose(reopened -> {
                    Spawn spawn = new Spawn(record, reopened.log());
                    spawns.add(spawn);
                    if (spawn.state().isFinal()) {
                        return recoverEnded(spawn, reopened);
                    }
                    if (!spawn.isTracked()) {
                        spawn.hold(admission.hold(record.origin().captain()));
                    }
                    if (reopened.complete()) {
                        // The earlier process died between the last frame and recording the end.
                        Frame.Done done = reopened.done();
                        if (done != null) {
                            spawn.setExit(FrameRouter.exit(done));
                        }
                        transitions.finish(spawn, SpawnState.TERMINATED);
                        transitions.save(spawn);
                    } else if (spawn.isTracked() || spawn.state() == SpawnState.REQUESTED) {
                        // A tracked session's connection is gone; for a requested spawn no worker was asked for.
                        return transitions.lose(spawn);
                    } else if (spawn.state() == SpawnState.UNKNOWN) {
                        watch(spawn);
                    } else {
                        transitions.awaitHost(spawn);
                    }
                    return CompletableFuture.completedFuture(null);
                });
    }

    private CompletionStage<StreamLogs.Reopened> reopen(SpawnRecord record) {
        String host = ProviderBinding.read(record.spawnId(), record.course().providerIds())
                .host();
        return !isOver(record) && parts.peers().isTheirs(host)
                ? parts.logs().reopenToGap(record.spawnId(), record.epoch())
                : parts.logs().reopen(record.spawnId(), record.epoch());
    }

    private CompletionStage<Void> recoverEnded(Spawn spawn, StreamLogs.Reopened reopened) {
        spawns.retire(spawn);
        spawn.settle();
        transitions.openIoSocketAgainOfEnded(spawn);
        if (spawn.hasRun() && !reopened.complete()) {
            return transitions.mendEnd(spawn);
        }
        spawn.log().end();
        return CompletableFuture.completedFuture(null);
    }

    /** The worker-agent is unreachable, so the state of its workers is unknown. */
    void handleDown(@Nullable String host) {
        down.add(host);
        Timers.Timer due = lookAgain.remove(host);
        if (due != null) {
            due.cancel();
        }
        for (Spawn spawn : on(host)) {
            boolean asked = spawn.state() == SpawnState.RUNNING || spawn.state() == SpawnState.SPAWNING;
            if (asked && !starting.test(spawn) && !spawn.isTracked()) {
                doubt(spawn);
            }
        }
    }

    private List<Spawn> on(@Nullable String host) {
        return spawns.live().stream()
                .filter(spawn -> Objects.equals(spawn.host(), host))
                .toList();
    }

    /** It is unknown whether the spawn's worker is alive. */
    void doubt(Spawn spawn) {
        transitions.becomeDoubtful(spawn);
        if (spawn.state() == SpawnState.UNKNOWN) {
            watch(spawn);
        }
    }

    /** Its host is not known any more, so nobody will say what became of its worker. */
    void giveUp(Spawn spawn) {
        transitions.giveUp(
                spawn,
                new BrigException(
                        ErrorCode.HOST_UNREACHABLE,
                        "the host " + spawn.host() + " is not known any more; what its worker did is there"));
    }

    private void watch(Spawn spawn) {
        deadlines.put(spawn, parts.timers().after(UNKNOWN_MS, () -> handleDeadline(spawn)));
    }

    private void handleDeadline(Spawn spawn) {
        deadlines.remove(spawn);
        if (spawn.state() == SpawnState.UNKNOWN) {
            transitions.giveUp(
                    spawn,
                    new BrigException(
                            ErrorCode.RECONCILE_TIMEOUT,
                            "it was unknown for "
                                    + UNKNOWN_MS / 1000
                                    + " s whether its worker is alive. If it is, adopt it with 'brig rebind "
                                    + spawn.spawnId() + "', or end it with 'brig terminate " + spawn.spawnId() + "'"));
        }
    }

    private void forgetDeadline(Spawn spawn) {
        Timers.Timer deadline = deadlines.remove(spawn);
        if (deadline != null) {
            deadline.cancel();
        }
    }

    /** Reconciles both sides. Called when the link to the worker-agent comes up, and while spawns are unsettled. */
    CompletionStage<Void> reconcile(@Nullable String host) {
        if (parts.peers().isTheirs(host)) {
            return CompletableFuture.completedFuture(null);
        }
        down.remove(host);
        // Spawns that start from now on may or may not be in the list, so they are left out.
        List<Spawn> asked = on(host).stream().filter(starting.negate()).toList();
        return parts.workers().list(host).thenCompose(listing -> settle(host, asked, listing));
    }

    /** Schedules a reconciliation: an answer was lost although the link is up. */
    void reconcileSoon(@Nullable String host) {
        if (!lookAgain.containsKey(host)) {
            lookAgain.put(host, parts.timers().after(LOOK_AGAIN_MS, () -> {
                lookAgain.remove(host);
                reconcile(host).exceptionally(failure -> {
                    logger.warn("the worker-agent did not list its workers: {}", failure.getMessage());
                    if (!down.contains(host)) {
                        reconcileSoon(host);
                    }
                    return null;
                });
            }));
        }
    }

    private CompletionStage<Void> settle(@Nullable String host, List<Spawn> asked, WorkersAnswer listing) {
        Map<String, WorkerView> up =
                listing.workers().stream().collect(Collectors.toMap(WorkerView::spawnId, worker -> worker));
        List<CompletableFuture<?>> settling = new ArrayList<>();
        for (Spawn spawn : asked) {
            WorkerView worker = up.get(spawn.binding().workerId());
            if (spawn.state().isFinal() || spawn.isTracked()) {
                continue;
            }
            if (worker != null) {
                adopt(spawn, worker);
            } else if (listing.starting().contains(spawn.binding().workerId())) {
                spawn.binding().setAlive(true);
                reconcileSoon(host);
            } else {
                settling.add(fence(spawn).toCompletableFuture());
            }
        }
        settling.addAll(endUnknown(
                host,
                Stream.concat(up.keySet().stream(), listing.starting().stream()).toList()));
        return CompletableFuture.allOf(settling.toArray(CompletableFuture<?>[]::new));
    }

    private void adopt(Spawn spawn, WorkerView worker) {
        forgetDeadline(spawn);
        if (spawn.isFollowed() && spawn.state() == SpawnState.RUNNING) {
            return;
        }
        if (!spawn.isFollowed()) {
            logger.atInfo()
                    .addKeyValue("spawn_id", spawn.spawnId())
                    .log("adopted at seq={}", spawn.log().lastSeq() + 1);
            spawn.log().expect(worker.lastSeq());
        }
        // Their frames are in the record, which is not read again.
        worker.asks().forEach(ask -> spawn.asks().handle(ask));
        if (worker.working()) {
            spawn.activity().handleMessage();
        }
        transitions.becomeRunning(spawn, worker.spawned());
    }

    /** A request for its worker may be in flight; the spawn is over only once that would be refused. */
    private CompletionStage<Void> fence(Spawn spawn) {
        return parts.workers().abandon(spawn.binding().workerId()).thenCompose(sure -> {
            forgetDeadline(spawn);
            return spawn.state().isFinal() ? CompletableFuture.completedFuture(null) : transitions.lose(spawn);
        });
    }

    /** Ends workers without a spawn. A worker given up too early is left to the operator. */
    private List<CompletableFuture<?>> endUnknown(@Nullable String host, List<String> workerIds) {
        Set<String> wanted = new HashSet<>();
        spawns.live().forEach(spawn -> wanted.add(spawn.binding().workerId()));
        List<CompletableFuture<?>> ending = new ArrayList<>();
        for (String workerId : workerIds) {
            Optional<Spawn> givenUp = spawns.all().stream()
                    .filter(spawn ->
                            spawn.isGivenUp() && spawn.binding().workerId().equals(workerId))
                    .findFirst();
            if (wanted.contains(workerId)) {
                continue;
            }
            if (givenUp.isPresent()) {
                givenUp.get().binding().setAlive(true);
                transitions.save(givenUp.get());
            } else {
                logger.atInfo().addKeyValue("spawn_id", workerId).log("ending a worker without a spawn");
                ending.add(parts.workers().abandon(host, workerId).toCompletableFuture());
            }
        }
        return ending;
    }

    /** Ends the worker of a spawn that was given up. */
    CompletionStage<Void> abandon(Spawn givenUp) {
        CompletionStage<Void> ended = givenUp.isSandboxed()
                ? parts.sandboxes().end(givenUp)
                : parts.workers().abandon(givenUp.binding().workerId());
        return ended.thenAccept(gone -> {
            givenUp.binding().setAlive(false);
            transitions.save(givenUp);
        });
    }

    /**
     * Binds the worker of a given-up spawn to a new spawn with the same task_id and tokens; the old spawn stays ended.
     * A spawn that is not given up is reconciled and returned.
     *
     * @return fails with {@code WORKER_LOST} if the worker is gone, {@code SESSION_ENDED} if the spawn ended
     */
    CompletionStage<Spawn> rebind(Spawn spawn) {
        if (!spawn.state().isFinal()) {
            return reconcile(spawn.host()).thenApply(settled -> spawn);
        }
        if (!spawn.isGivenUp()) {
            return CompletableFuture.failedFuture(spawn.notReady());
        }
        return parts.workers().list(spawn.host()).thenApply(listing -> {
            Optional<WorkerView> worker = listing.workers().stream()
                    .filter(alive -> alive.spawnId().equals(spawn.binding().workerId()))
                    .findFirst();
            spawn.binding().setAlive(worker.isPresent());
            transitions.save(spawn);
            return bind(
                    spawn,
                    worker.orElseThrow(() ->
                            new BrigException(ErrorCode.WORKER_LOST, "its worker is gone: there is nothing to adopt")));
        });
    }

    private Spawn bind(Spawn old, WorkerView worker) {
        // A spawn that adopted its worker earlier has its task_id too.
        if (spawns.isLive(old.taskId())) {
            throw new BrigException(
                    ErrorCode.TASK_ID_IN_USE, "task_id '" + old.taskId() + "' belongs to a live session");
        }
        long nowMs = transitions.nowMs();
        String spawnId = Ids.newSpawnId(nowMs);
        String epoch = Ids.newEpoch();
        ProviderBinding binding = new ProviderBinding(worker.spawnId(), old.host());
        SpawnRecord record = new SpawnRecord(
                spawnId,
                old.taskId(),
                null,
                epoch,
                old.origin(),
                old.hashes(),
                SpawnRecord.Course.requested(binding.toJson()),
                new SpawnRecord.Times(nowMs, 0, nowMs, 0));
        Spawn bound = new Spawn(
                record, parts.logs().create(spawnId, epoch, old.binding().lastSeq()));
        bound.hold(admission.hold(old.origin().captain()));
        spawns.add(bound);
        bound.become(SpawnState.SPAWNING, nowMs);
        adopt(bound, worker);
        return bound;
    }
}
