package brig.gateway.spawn;

import brig.gateway.limits.Admission;
import brig.gateway.store.SpawnRecord;
import brig.gateway.worker.WorkerStream;
import brig.protocol.SpawnState;
import brig.protocol.wire.FrameDecoder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spawns on hosts that several gateways share, as far as another gateway tells of them. Here they are spawns like any
 * other: they have names, tokens, a log and a session socket. Only their frames come by way of the owner. Owned by the
 * event loop.
 */
public final class SharedSpawns {
    /** Opens the stream of a spawn whose frames another gateway writes. */
    @FunctionalInterface
    public interface Way {
        WorkerStream open(Spawn spawn, FrameDecoder.Sink frames);
    }

    private static final Logger logger = LoggerFactory.getLogger(SharedSpawns.class);

    private final Spawner.Services parts;
    private final Admission admission;
    private final Spawns spawns;
    private final Transitions transitions;
    private final SessionSocketOpener sessionSockets;
    private final Map<String, CompletableFuture<Spawn>> awaited = new HashMap<>();
    /** Spawns whose log is being opened. */
    private final Map<String, CompletionStage<Void>> adding = new HashMap<>();

    SharedSpawns(
            Spawner.Services parts,
            Admission admission,
            Spawns spawns,
            Transitions transitions,
            SessionSocketOpener sessionSockets) {
        this.sessionSockets = sessionSockets;
        this.parts = parts;
        this.admission = admission;
        this.spawns = spawns;
        this.transitions = transitions;
    }

    /** The live spawns on that host. */
    public List<Spawn> on(String host) {
        return spawns.live().stream().filter(spawn -> host.equals(spawn.host())).toList();
    }

    /** The spawn with that spawn_id, live or ended. */
    public Optional<Spawn> find(String spawnId) {
        return spawns.known(spawnId);
    }

    /**
     * A spawn that another gateway began for a client of this one.
     *
     * @return completes when the other gateway told everybody of it
     */
    public CompletionStage<AcceptedSpawn> accepted(
            String spawnId, String taskId, String captainToken, String watcherToken) {
        return appeared(spawnId)
                .thenApply(spawn -> new AcceptedSpawn(
                        spawnId,
                        taskId,
                        captainToken,
                        watcherToken,
                        sessionSockets.pathOf(spawnId, taskId),
                        spawn.settled().thenApply(settled -> {
                            spawn.failure().ifPresent(failure -> {
                                throw failure;
                            });
                            return spawn.workspace();
                        })));
    }

    private CompletionStage<Spawn> appeared(String spawnId) {
        return spawns.known(spawnId)
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> awaited.computeIfAbsent(spawnId, key -> new CompletableFuture<>())
                        .copy());
    }

    /** Another gateway tells of a spawn: a new one, or what became of a known one. */
    public CompletionStage<Void> apply(SpawnRecord told, Way way) {
        String id = told.spawnId();
        Optional<Spawn> known = spawns.known(id);
        if (known.isPresent()) {
            advance(known.get(), told, way);
            return CompletableFuture.completedFuture(null);
        }
        CompletionStage<Void> before = adding.get(id);
        if (before != null) {
            return before.handle((added, failure) -> null).thenCompose(added -> apply(told, way));
        }
        CompletionStage<Void> added = add(told, way);
        adding.put(id, added);
        return added.whenComplete((done, failure) -> adding.remove(id, added));
    }

    private CompletionStage<Void> add(SpawnRecord told, Way way) {
        return parts.logs()
                .reopenToGap(told.spawnId(), told.epoch())
                .exceptionally(failure -> {
                    logger.atError()
                            .addKeyValue("spawn_id", told.spawnId())
                            .log("its record cannot be read: {}", failure.getMessage());
                    return new StreamLogs.Reopened(parts.logs().create(told.spawnId(), told.epoch(), 0), false, null);
                })
                .thenAccept(reopened -> add(told, reopened, way));
    }

    private void add(SpawnRecord told, StreamLogs.Reopened reopened, Way way) {
        boolean over = SpawnState.valueOf(told.course().state()).isFinal();
        boolean whole = over && (reopened.complete() || told.times().runningMs() == 0);
        Spawn spawn = new Spawn(over && !whole ? running(told) : told, reopened.log());
        spawns.add(spawn);
        if (whole) {
            spawns.retire(spawn);
            spawn.log().end();
            spawn.settle();
        } else {
            spawn.hold(admission.hold(told.origin().captain()));
            if (spawn.hasRun()) {
                mirror(spawn, way);
            }
            if (reopened.complete()) {
                transitions.finish(spawn, SpawnState.TERMINATED);
            }
        }
        CompletableFuture<Spawn> wanted = awaited.remove(told.spawnId());
        if (wanted != null) {
            wanted.complete(spawn);
        }
    }

    private static SpawnRecord running(SpawnRecord told) {
        SpawnRecord.Course course = told.course();
        SpawnRecord.Times times = told.times();
        return new SpawnRecord(
                told.spawnId(),
                told.taskId(),
                told.sessionId(),
                told.epoch(),
                told.origin(),
                told.hashes(),
                new SpawnRecord.Course(
                        SpawnState.RUNNING.name(),
                        course.workspace(),
                        course.providerIds(),
                        course.posture(),
                        course.exit(),
                        course.lastError()),
                new SpawnRecord.Times(times.createdMs(), times.runningMs(), times.updatedMs(), 0));
    }

    private void advance(Spawn spawn, SpawnRecord told, Way way) {
        if (spawn.state().isFinal()) {
            return;
        }
        spawn.follow(told);
        if (spawn.sessionId() != null) {
            spawns.index(spawn);
        }
        if (spawn.state() == SpawnState.REQUESTED) {
            become(spawn, SpawnState.SPAWNING);
        }
        if (spawn.hasRun() && spawn.state() == SpawnState.SPAWNING) {
            become(spawn, SpawnState.RUNNING);
        }
        if (spawn.hasRun() && !spawn.isConnected()) {
            mirror(spawn, way);
        }
        switch (SpawnState.valueOf(told.course().state())) {
            case RUNNING -> become(spawn, SpawnState.RUNNING);
            case UNREACHABLE, UNKNOWN -> become(spawn, SpawnState.UNREACHABLE);
            case FAILED -> {
                become(spawn, SpawnState.UNREACHABLE);
                transitions.finish(spawn, SpawnState.FAILED);
            }
            // The end of its stream ends it here.
            case REQUESTED, SPAWNING, TERMINATED -> {}
        }
    }

    private void become(Spawn spawn, SpawnState next) {
        if (spawn.state() != next && spawn.state().mayBecome(next)) {
            spawn.become(next, transitions.nowMs());
        }
    }

    /** Takes the spawn's frames from there, also if its worker-agent sent them until now. */
    private void mirror(Spawn spawn, Way way) {
        transitions.follow(spawn, frames -> way.open(spawn, frames));
        if (spawn.ioSocket().isEmpty()) {
            transitions.openIoSocketAgain(spawn);
        }
        spawn.settle();
    }

    /** The same for all spawns of a host. */
    public void mirror(String host, Way way) {
        on(host).stream().filter(Spawn::hasRun).forEach(spawn -> mirror(spawn, way));
    }

    /** There are frames of it, so its worker is up, whether or not the owner told of that yet. */
    public void handleFrames(Spawn spawn, Way way) {
        if (!spawn.state().isFinal() && !spawn.isConnected()) {
            become(spawn, SpawnState.SPAWNING);
            become(spawn, SpawnState.RUNNING);
            mirror(spawn, way);
        }
    }

    /** Tells the others once more what became of a spawn. */
    public void tell(Spawn spawn) {
        transitions.save(spawn);
    }

    /** The owner says that it ended, and there are no more frames. */
    public void end(Spawn spawn) {
        transitions.finish(spawn, SpawnState.TERMINATED);
    }
}
