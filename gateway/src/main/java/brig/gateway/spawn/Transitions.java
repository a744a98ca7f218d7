package brig.gateway.spawn;

import brig.gateway.telemetry.Counters;
import brig.gateway.worker.WorkerStream;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.SpawnState;
import brig.protocol.api.SpawnView;
import brig.protocol.control.Posture;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameDecoder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state transitions of a spawn, each with its effects on the stream, the socket, the record and the names. Owned by
 * the event loop.
 *
 * <p>Decision 0069.
 */
final class Transitions {
    private static final Logger logger = LoggerFactory.getLogger(Transitions.class);

    /** A UUID, or OpenCode's format. */
    private static final Pattern AGENT_SESSION =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|ses_[0-9A-Za-z]{16,64}");

    /** How long a socket stays open after the end of its spawn. */
    private static final long LINGER_MS = 30_000;

    private final Spawner.Services parts;
    private final Spawns spawns;
    private final SessionSocketOpener sessionSockets;
    private final BlockedRequests blocked;
    private final Counters counters;
    private final AskEvents asks;

    Transitions(Spawner.Services parts, Spawns spawns, SessionSocketOpener sessionSockets) {
        this.parts = parts;
        this.spawns = spawns;
        this.sessionSockets = sessionSockets;
        this.blocked = new BlockedRequests(parts.clock());
        this.counters = parts.telemetry().counters();
        this.asks = new AskEvents(counters);
    }

    long nowMs() {
        return parts.clock().nowMs();
    }

    /** The worker-agent is about to be asked; completes when that is on disk. */
    CompletionStage<Void> becomeSpawning(Spawn spawn) {
        spawn.become(SpawnState.SPAWNING, nowMs());
        return save(spawn);
    }

    /** The worker is up; follows its frames after those in the log. */
    void becomeRunning(Spawn spawn, SpawnAnswer started) {
        spawn.setTtySmallest(started.ttySmallest());
        becomeRunning(
                spawn,
                started.workspace(),
                started.posture(),
                frames -> parts.workers().open(spawn.binding().workerId(), spawn.log(), frames));
    }

    /**
     * As above, for frames from another source.
     *
     * @param way opens the source, given where frames go
     */
    void becomeRunning(Spawn spawn, String workspace, Posture posture, Function<FrameDecoder.Sink, WorkerStream> way) {
        // What an earlier gateway recorded of a running worker is true of it for as long as it lives.
        if (spawn.state() != SpawnState.RUNNING || !spawn.isMeasured()) {
            if (spawn.state() != SpawnState.RUNNING) {
                spawn.become(SpawnState.RUNNING, nowMs());
            }
            spawn.setWorkspace(workspace);
            spawn.setPosture(posture);
            spawn.binding().setAlive(null);
            save(spawn);
        }
        if (!spawn.isFollowed()) {
            follow(spawn, way);
        }
        if (spawn.ioSocket().isEmpty()) {
            openIoSocketAgain(spawn);
        } else {
            spawn.settle();
        }
        if (spawn.isUnwanted()) {
            var _ = parts.workers().terminate(spawn.binding().workerId(), "requested");
        }
    }

    /** Its worker is out of reach. On another host it goes on for as long as that lasts. */
    void becomeDoubtful(Spawn spawn) {
        // Whether a sandbox was made at all is not known before its worker runs.
        boolean goesOn = spawn.host() != null && (spawn.hasRun() || !spawn.isSandboxed());
        spawn.become(goesOn ? SpawnState.UNREACHABLE : SpawnState.UNKNOWN, nowMs());
        save(spawn);
        awaitHost(spawn);
    }

    /** Whether its provider made a sandbox is unknown, or known again, while its start goes on. */
    void becomeDoubtful(Spawn spawn, boolean doubt) {
        SpawnState next = doubt ? SpawnState.UNKNOWN : SpawnState.SPAWNING;
        if (spawn.state().mayBecome(next)) {
            spawn.become(next, nowMs());
            save(spawn);
        }
    }

    /**
     * Lets captains of a session on another host read it while its worker is out of reach. An earlier gateway served them: they
     * may wait for days, and have more than was recorded.
     */
    void awaitHost(Spawn spawn) {
        if (spawn.host() != null && spawn.hasRun() && !spawn.isConnected()) {
            spawn.log().expectAny();
            if (spawn.ioSocket().isEmpty()) {
                openIoSocketAgain(spawn);
            }
        }
    }

    /** Connects the log with the source of its frames and with the recorder. */
    void follow(Spawn spawn, Function<FrameDecoder.Sink, WorkerStream> way) {
        parts.recorders().begin(spawn, spawn::ack, () -> handleRecorded(spawn));
        spawn.connect(way.apply(new FrameRouter(spawn, blocked, counters, asks, changes(spawn))));
    }

    /** The effects of frames on that spawn. */
    private FrameRouter.Changes changes(Spawn spawn) {
        return new FrameRouter.Changes() {
            @Override
            public void handleExit(SpawnView.Exit exit) {
                spawn.setExit(exit);
                save(spawn);
            }

            @Override
            public void handleAgentSession(String sessionId) {
                nameAfter(spawn, sessionId);
            }

            @Override
            public void handleTerminated() {
                finish(spawn, SpawnState.TERMINATED);
            }
        };
    }

    /**
     * Names the spawn after the agent's own session id. The id comes from inside the wall and must not collide with
     * names that captains choose, so only the random formats of agents are accepted.
     */
    private void nameAfter(Spawn spawn, String id) {
        if (spawn.sessionId() == null && AGENT_SESSION.matcher(id).matches() && spawns.isFreeForSession(id)) {
            spawn.setSessionId(id);
            spawns.index(spawn);
            save(spawn);
        }
    }

    /** Ends a spawn. With a stream, the end is recorded only when its last frames are: see {@link #handleRecorded}. */
    void finish(Spawn spawn, SpawnState end) {
        if (spawn.state().isFinal()) {
            return;
        }
        if (end == SpawnState.TERMINATED && spawn.state() == SpawnState.SPAWNING) {
            // Only if the earlier process died between the worker's start and recording it.
            spawn.become(SpawnState.RUNNING, nowMs());
        }
        spawn.become(end, nowMs());
        counters.handleEnded(end.wireName());
        if (end == SpawnState.FAILED) {
            save(spawn);
        }
        spawn.log().end();
        closeIoSocket(spawn);
        asks.handleEnd(spawn, nowMs());
        spawns.retire(spawn);
        spawn.settle();
    }

    /**
     * A subscriber that was connected when the earlier process was killed reconnects to the same socket and gets the
     * end.
     */
    private void closeIoSocket(Spawn spawn) {
        if (spawn.ioSocket().isEmpty() && spawn.hasRun() && !spawn.isTracked()) {
            sessionSockets.linger(spawn);
        } else {
            sessionSockets.close(spawn);
        }
    }

    /** Does the same for a spawn that ended shortly before the earlier process was killed. */
    void openIoSocketAgainOfEnded(Spawn spawn) {
        if (spawn.hasRun() && !spawn.isTracked() && nowMs() - spawn.endedMs() < LINGER_MS) {
            sessionSockets.linger(spawn);
        }
    }

    /** The whole stream is on disk: records the end and releases memory and link. */
    private void handleRecorded(Spawn spawn) {
        save(spawn);
        spawn.disconnect();
        spawn.lastWords().handOver(spawn.spawnId(), parts.logs());
        spawn.log().release();
        spawn.tree().forget();
        spawn.handleChanged();
    }

    /** It never ran, or was lost. */
    void fail(Spawn spawn, BrigException refusal) {
        if (!spawn.state().isFinal()) {
            logger.atInfo()
                    .addKeyValue("spawn_id", spawn.spawnId())
                    .log("refused code={} {}", refusal.code(), refusal.getMessage());
            spawn.setLastError(refusal);
            finish(spawn, SpawnState.FAILED);
        }
    }

    /** Its worker is gone without final frames: the gateway writes them for its subscribers. */
    CompletionStage<Void> lose(Spawn spawn) {
        if (!spawn.hasRun()) {
            fail(
                    spawn,
                    new BrigException(
                            ErrorCode.WORKER_AGENT_UNAVAILABLE,
                            "the gateway or the worker-agent stopped before the worker was known to run; nothing of it is left",
                            1));
            spawn.requestKey().ifPresent(parts.store()::forget);
            return CompletableFuture.completedFuture(null);
        }
        // An earlier gateway may have sent more of the stream than it recorded, and that part is lost.
        CompletionStage<Void> known = spawn.isConnected() ? CompletableFuture.completedFuture(null) : beginEpoch(spawn);
        return known.thenRun(() -> {
            if (!spawn.state().isFinal()) {
                endLost(spawn);
            }
        });
    }

    /** Only the record is left of the stream, so subscribers that received more must begin again. */
    private CompletionStage<Void> beginEpoch(Spawn spawn) {
        return parts.logs().reopen(spawn.spawnId(), Ids.newEpoch()).handle((reopened, failure) -> {
            if (failure == null) {
                spawn.restart(reopened.log());
            } else {
                logger.atError()
                        .addKeyValue("spawn_id", spawn.spawnId())
                        .log("its record cannot be read: {}", failure.getMessage());
            }
            return null;
        });
    }

    /** It ended in the earlier process, but the record lacks the end, because the disk was full. */
    CompletionStage<Void> mendEnd(Spawn spawn) {
        return beginEpoch(spawn).thenRun(() -> {
            sayGoodbye(
                    spawn,
                    new BrigException(ErrorCode.RECORD_LOST, "the end of this stream could not be recorded"),
                    null,
                    "record_lost");
            spawn.log().end();
        });
    }

    private void endLost(Spawn spawn) {
        if (spawn.isTracked()) {
            endTracked(
                    spawn,
                    new BrigException(
                            ErrorCode.WORKER_LOST,
                            "the gateway stopped; the agent, which it had not started, may go on"),
                    "worker_lost");
            return;
        }
        BrigException lost =
                new BrigException(ErrorCode.WORKER_LOST, "the worker-agent ended, and its workers with it");
        Frame.Done done = new Frame.Done(137, "SIGKILL", "worker_lost", null);
        sayGoodbye(spawn, lost, done, "worker_lost");
        spawn.setLastError(lost);
        spawn.setExit(FrameRouter.exit(done));
        finish(spawn, SpawnState.TERMINATED);
    }

    /**
     * Ends a tracked session whose client is gone.
     *
     * @param why null if the end was requested
     */
    void endTracked(Spawn spawn, @Nullable BrigException why, String reason) {
        if (spawn.state().isFinal()) {
            return;
        }
        if (why != null) {
            spawn.setLastError(why);
        }
        sayGoodbye(spawn, why, null, reason);
        finish(spawn, SpawnState.TERMINATED);
    }

    /** Its fate was unknown for too long, including how its process ended, if it did. */
    void giveUp(Spawn spawn, BrigException timeout) {
        spawn.binding().setLastSeq(spawn.log().nextSeq() - 1);
        if (spawn.hasRun()) {
            sayGoodbye(spawn, timeout, null, "reconcile_timeout");
        }
        fail(spawn, timeout);
    }

    private void sayGoodbye(Spawn spawn, @Nullable BrigException error, Frame.@Nullable Done done, String reason) {
        if (!spawn.isConnected()) {
            parts.recorders().begin(spawn, seq -> {}, () -> handleRecorded(spawn));
        }
        spawn.asks().ends().forEach(end -> append(spawn, end));
        if (error != null) {
            append(spawn, Frame.Failure.of(error, null));
        }
        if (done != null) {
            append(spawn, done);
        }
        append(spawn, new Frame.State(Frame.State.TERMINATED, reason));
    }

    private void append(Spawn spawn, Frame frame) {
        // After frames that subscribers may have from the earlier gateway, and that the worker-agent lost.
        long seq = spawn.log().nextSeq();
        byte[] line = Json.writeLine(new NumberedFrame(seq, nowMs(), frame));
        FrameRouter.keep(spawn, frame.type(), seq, line, 0, line.length);
    }

    /** Opens the socket of a running spawn; on failure the spawn continues without one. */
    void openIoSocketAgain(Spawn spawn) {
        sessionSockets.open(spawn).whenComplete((socket, failure) -> {
            if (failure == null) {
                spawn.setIoSocket(socket);
            } else {
                logger.atError()
                        .addKeyValue("spawn_id", spawn.spawnId())
                        .log("has no session socket: {}", failure.getMessage());
            }
            spawn.settle();
        });
    }

    CompletionStage<Void> save(Spawn spawn) {
        return parts.store().save(spawn.record()).whenComplete((nothing, failure) -> {
            if (failure != null) {
                logger.atError()
                        .addKeyValue("spawn_id", spawn.spawnId())
                        .log(
                                "could not be recorded: {}",
                                Spawner.reason(failure).getMessage());
            }
        });
    }
}
