package brig.gateway.spawn;

import brig.gateway.limits.Admission;
import brig.gateway.limits.Lease;
import brig.gateway.store.SpawnRecord;
import brig.gateway.store.SpawnStore;
import brig.gateway.stream.StreamRecorder;
import brig.gateway.time.Clock;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ChunkRun;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import brig.protocol.FrameDecoder;
import brig.protocol.FrameType;
import brig.protocol.Ids;
import brig.protocol.Json;
import brig.protocol.SpawnRequest;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts spawns, follows their streams to the end, and takes up after a restart what the worker-agent still has.
 *
 * <p>The order of a start: limits, then the record on disk, then the session socket, then the worker. Whatever fails
 * undoes what came before it and leaves the record with its error. State owned by the event loop.
 */
public final class Spawner {
    /** What the spawner works with. */
    public record Parts(WorkerAgent workers, SpawnStore store, Logs logs, Clock clock) {}

    private static final Logger logger = LoggerFactory.getLogger(Spawner.class);

    private final Parts parts;
    private final Admission admission;
    private final Spawns spawns;
    private final SpawnListener doors;
    /** Spawns whose start this process is in the middle of; {@link #reconcile} leaves them alone. */
    private final Set<Spawn> starting = new HashSet<>();
    /** Those of them that were told to end before there was a worker to tell. */
    private final Set<Spawn> unwanted = new HashSet<>();

    public Spawner(Parts parts, Admission admission, Spawns spawns, SpawnListener doors) {
        this.parts = parts;
        this.admission = admission;
        this.spawns = spawns;
        this.doors = doors;
    }

    /**
     * Starts a worker, when there is a place for it.
     *
     * @param asker whose captain is {@code uid:<n>}, {@code admin} or the name of a captain's token
     * @return completes when the worker runs; fails with the refusal
     */
    public CompletionStage<Granted> spawn(SpawnRequest request, Admission.Applicant asker) {
        try {
            requireFree(request.taskId());
        } catch (BrigException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
        return admission.enter(asker).thenCompose(slot -> spawn(request, asker.captain(), slot));
    }

    private CompletionStage<Granted> spawn(SpawnRequest request, String captain, Lease slot) {
        String captainToken = Ids.newToken();
        String watcherToken = Ids.newToken();
        Spawn spawn;
        try {
            // Again: while this one waited, another may have taken the name.
            requireFree(request.taskId());
            spawn = admit(request, captain, Ids.hashToken(captainToken), Ids.hashToken(watcherToken), slot);
        } catch (BrigException refusal) {
            slot.close();
            return CompletableFuture.failedFuture(refusal);
        }
        starting.add(spawn);
        return save(spawn)
                .thenCompose(saved -> doors.open(spawn))
                .thenCompose(socket -> start(spawn, request).thenApply(
                        started -> new Granted(spawn, captainToken, watcherToken, socket)))
                .whenComplete((granted, failure) -> {
                    starting.remove(spawn);
                    unwanted.remove(spawn);
                    if (failure != null) {
                        fail(spawn, reason(failure));
                    }
                });
    }

    private void requireFree(@Nullable String taskId) {
        if (taskId != null && spawns.isLive(taskId)) {
            throw new BrigException(ErrorCode.TASK_ID_IN_USE, "task_id '" + taskId + "' belongs to a live session");
        }
    }

    private Spawn admit(
            SpawnRequest request, String captain, String captainHash, String watcherHash, Lease slot) {
        long nowMs = parts.clock().nowMs();
        String spawnId = Ids.newSpawnId(nowMs);
        String taskId = request.taskId() == null ? spawnId : request.taskId();
        SpawnRecord record = new SpawnRecord(spawnId, taskId, Ids.newEpoch(), withoutPrompt(request), captain, "",
                SpawnState.REQUESTED.name(), captainHash, watcherHash, nowMs, 0, null, null);
        Spawn spawn = new Spawn(record, request.agent(), parts.logs().create(spawnId, record.epoch(), 0));
        spawn.hold(slot);
        spawns.add(spawn);
        return spawn;
    }

    private CompletionStage<Void> start(Spawn spawn, SpawnRequest request) {
        spawn.become(SpawnState.SPAWNING, parts.clock().nowMs());
        save(spawn);
        return parts.workers().spawn(spawn.spawnId(), request).thenAccept(started -> {
            spawn.setWorkspace(started.workspace());
            spawn.setPosture(started.posture());
            spawn.become(SpawnState.RUNNING, parts.clock().nowMs());
            save(spawn);
            follow(spawn, started.socket());
            if (unwanted.remove(spawn)) {
                parts.workers().terminate(spawn.spawnId(), "requested");
            }
        });
    }

    /** Connects the log with the worker's socket and the recorder. */
    private void follow(Spawn spawn, String socket) {
        StreamRecorder recorder = new StreamRecorder(spawn.log(), parts.clock(), spawn::ack, () -> handleRecorded(spawn));
        recorder.start();
        spawn.connect(parts.workers().open(socket, spawn.log().lastSeq() + 1, new FrameDecoder.Sink() {
            @Override
            public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
                spawn.log().append(seq, bytes, offset, length);
                if (type == FrameType.STATE) {
                    handleState(spawn, new Fields(Json.parseObject(bytes, offset, length - 1)));
                }
            }

            @Override
            public void handleChunks(ChunkRun run) {
                spawn.log().append(run);
            }

            @Override
            public void handleBadFrame(ErrorCode code) {
                logger.error("spawn_id={} a frame of the worker-agent is refused with {}", spawn.spawnId(), code);
            }
        }));
    }

    private void handleState(Spawn spawn, Fields frame) {
        if (SpawnState.TERMINATED.wireName().equals(frame.text("state"))) {
            finish(spawn, SpawnState.TERMINATED);
        }
    }

    /** The end of a spawn that has a stream is recorded when its last frames are: see {@link #handleRecorded}. */
    private void finish(Spawn spawn, SpawnState end) {
        if (!spawn.state().isFinal()) {
            spawn.become(end, parts.clock().nowMs());
            if (end == SpawnState.FAILED) {
                save(spawn);
            }
            spawn.log().end();
            doors.close(spawn);
            spawns.retire(spawn);
        }
    }

    /** The stream ended and is on disk: now its end may be, and memory and the link are not needed any more. */
    private void handleRecorded(Spawn spawn) {
        save(spawn);
        spawn.disconnect();
        spawn.log().release();
    }

    private void fail(Spawn spawn, BrigException refusal) {
        logger.info("spawn_id={} refused code={} {}", spawn.spawnId(), refusal.code(), refusal.getMessage());
        spawn.setLastError(refusal.code() + ": " + refusal.getMessage());
        finish(spawn, SpawnState.FAILED);
    }

    /** Begins to stop a spawn's worker; a spawn that has ended stays as it is. */
    public CompletionStage<Void> terminate(Spawn spawn, String reason) {
        if (spawn.state().isFinal()) {
            return CompletableFuture.completedFuture(null);
        }
        if (starting.contains(spawn) && spawn.state() != SpawnState.RUNNING) {
            unwanted.add(spawn);
            return CompletableFuture.completedFuture(null);
        }
        spawn.log().letGo();
        return parts.workers().terminate(spawn.spawnId(), reason);
    }

    /** Reads what an earlier process left. Nothing is connected yet: {@link #reconcile} does that. */
    public CompletionStage<Void> recover() {
        return parts.store().load().thenCompose(records -> {
            long ended = records.stream().filter(Spawner::isOver).count();
            CompletableFuture<?>[] opened = Stream.concat(
                            records.stream().filter(Spawner::isOver).skip(Math.max(0, ended - Spawns.ENDED_MAX)),
                            records.stream().filter(record -> !isOver(record)))
                    .map(record -> recover(record).toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new);
            return CompletableFuture.allOf(opened);
        });
    }

    private static boolean isOver(SpawnRecord record) {
        return SpawnState.valueOf(record.state()).isFinal();
    }

    private CompletionStage<Void> recover(SpawnRecord record) {
        return parts.logs().reopen(record.spawnId(), record.epoch()).exceptionally(failure -> {
            logger.error("spawn_id={} its record cannot be read: {}", record.spawnId(), failure.getMessage());
            return new Logs.Reopened(parts.logs().create(record.spawnId(), record.epoch(), 0), false);
        }).thenAccept(reopened -> {
            Fields request = new Fields(Json.parseObject(record.request().getBytes(StandardCharsets.UTF_8)));
            Spawn spawn = new Spawn(record, request.object("agent_config").text("name", ""), reopened.log());
            spawns.add(spawn);
            if (spawn.state().isFinal()) {
                spawn.log().end();
                spawns.retire(spawn);
                return;
            }
            spawn.hold(admission.hold(record.captain()));
            if (reopened.complete() && spawn.state() == SpawnState.RUNNING) {
                // The process before died between the last frame and the record of the end.
                finish(spawn, SpawnState.TERMINATED);
                save(spawn);
            }
        });
    }

    /**
     * Compares what the gateway believes to run with what the worker-agent has: follows what runs, ends what does not.
     * Called whenever the link to the worker-agent comes up.
     */
    public CompletionStage<Void> reconcile() {
        return parts.workers().list().thenAccept(workers -> {
            Map<String, WorkerAgent.Alive> alive =
                    workers.stream().collect(Collectors.toMap(WorkerAgent.Alive::spawnId, worker -> worker));
            for (Spawn spawn : List.copyOf(spawns.live())) {
                WorkerAgent.Alive worker = alive.remove(spawn.spawnId());
                if (starting.contains(spawn)) {
                    continue;
                }
                if (worker == null) {
                    lose(spawn);
                } else if (!spawn.isConnected()) {
                    adopt(spawn, worker);
                }
            }
            Set<String> strangers = alive.keySet();
            strangers.forEach(spawnId -> parts.workers().terminate(spawnId, "unknown"));
        });
    }

    private void adopt(Spawn spawn, WorkerAgent.Alive worker) {
        logger.info("spawn_id={} adopted at seq={}", spawn.spawnId(), spawn.log().lastSeq() + 1);
        if (spawn.state() == SpawnState.REQUESTED) {
            spawn.become(SpawnState.SPAWNING, parts.clock().nowMs());
        }
        if (spawn.state() != SpawnState.RUNNING) {
            spawn.become(SpawnState.RUNNING, parts.clock().nowMs());
        }
        spawn.setWorkspace(worker.workspace());
        if (!worker.posture().isEmpty()) {
            spawn.setPosture(worker.posture());
        }
        save(spawn);
        doors.open(spawn).whenComplete((socket, failure) -> {
            if (failure != null) {
                logger.error("spawn_id={} has no session socket: {}", spawn.spawnId(), failure.getMessage());
            }
        });
        follow(spawn, worker.socket());
    }

    /** The worker is gone with its worker-agent, and said no goodbye: the gateway says it for its readers. */
    private void lose(Spawn spawn) {
        if (spawn.state() != SpawnState.RUNNING) {
            fail(spawn, new BrigException(ErrorCode.WORKER_LOST, "the gateway stopped before the worker ran"));
            return;
        }
        spawn.setLastError("WORKER_LOST: the worker-agent ended, and its workers with it");
        if (!spawn.isConnected()) {
            new StreamRecorder(spawn.log(), parts.clock(), seq -> {}, () -> handleRecorded(spawn)).start();
        }
        append(spawn, Map.of("error", "the worker-agent ended, and its workers with it", "code", ErrorCode.WORKER_LOST), "error");
        append(spawn, Map.of("exitCode", 137, "signal", "SIGKILL", "reason", "worker_lost"), "done");
        append(spawn, Map.of("state", SpawnState.TERMINATED.wireName(), "reason", "worker_lost"), "state");
        finish(spawn, SpawnState.TERMINATED);
    }

    private void append(Spawn spawn, Map<String, ?> fields, String type) {
        Map<String, @Nullable Object> frame = new LinkedHashMap<>();
        frame.put("type", type);
        frame.put("seq", spawn.log().lastSeq() + 1);
        frame.put("ts", parts.clock().nowMs());
        frame.putAll(fields);
        byte[] line = Json.writeLine(frame);
        spawn.log().append(spawn.log().lastSeq() + 1, line, 0, line.length);
    }

    private CompletionStage<Void> save(Spawn spawn) {
        return parts.store().save(spawn.record()).whenComplete((nothing, failure) -> {
            if (failure != null) {
                logger.error("spawn_id={} could not be recorded: {}", spawn.spawnId(), failure.getMessage());
            }
        });
    }

    /** A prompt may hold what its writer would not like to find on a disk. */
    private static String withoutPrompt(SpawnRequest request) {
        Map<String, @Nullable Object> map = request.toMap();
        map.remove("prompt");
        return new String(Json.write(map), StandardCharsets.UTF_8);
    }

    private static BrigException reason(Throwable failure) {
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof BrigException refusal ? refusal
                : new BrigException(ErrorCode.INTERNAL, "the spawn failed: " + cause);
    }
}
