package brig.gateway.spawn;

import brig.gateway.stream.StreamRecorder;
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
 * The ways of a spawn from state to state, each with everything that goes with it: its stream, its socket, its record and
 * its name. Owned by the event loop.
 *
 * <p>Decision 0069.
 */
final class Transitions {
    private static final Logger logger = LoggerFactory.getLogger(Transitions.class);

    /** A UUID, or what OpenCode makes. */
    private static final Pattern AGENT_SESSION =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|ses_[0-9A-Za-z]{16,64}");

    /** How long a socket stays open after the end of its spawn. */
    private static final long LINGER_MS = 30_000;

    private final Spawner.Services parts;
    private final Spawns spawns;
    private final SessionSocketOpener sessionSockets;
    private final BlockedRequests blocked;
    private final Counters counters;

    Transitions(Spawner.Services parts, Spawns spawns, SessionSocketOpener sessionSockets) {
        this.parts = parts;
        this.spawns = spawns;
        this.sessionSockets = sessionSockets;
        this.blocked = new BlockedRequests(parts.clock());
        this.counters = parts.telemetry().counters();
    }

    long nowMs() {
        return parts.clock().nowMs();
    }

    /** The worker-agent is about to be asked; not before that is on disk. */
    CompletionStage<Void> becomeSpawning(Spawn spawn) {
        spawn.become(SpawnState.SPAWNING, nowMs());
        return save(spawn);
    }

    /** The worker is up, and its frames are followed from the one behind those that are here. */
    void becomeRunning(Spawn spawn, SpawnAnswer started) {
        becomeRunning(
                spawn,
                started.workspace(),
                started.posture(),
                frames -> parts.workers().open(started.socket(), spawn.log(), frames));
    }

    /**
     * The same where frames come another way.
     *
     * @param way opens it, and is told where frames go
     */
    void becomeRunning(Spawn spawn, String workspace, Posture posture, Function<FrameDecoder.Sink, WorkerStream> way) {
        if (spawn.state() != SpawnState.RUNNING) {
            spawn.become(SpawnState.RUNNING, nowMs());
        }
        spawn.setWorkspace(workspace);
        spawn.setPosture(posture);
        spawn.binding().setAlive(null);
        save(spawn);
        if (spawn.ioSocket().isEmpty()) {
            openIoSocketAgain(spawn);
        } else {
            spawn.settle();
        }
        if (!spawn.isConnected()) {
            follow(spawn, way);
        }
        if (spawn.isUnwanted()) {
            var _ = parts.workers().terminate(spawn.binding().workerId(), "requested");
        }
    }

    void becomeUnknown(Spawn spawn) {
        spawn.become(SpawnState.UNKNOWN, nowMs());
        save(spawn);
    }

    /** Connects the log with where its frames come from, and with the recorder. */
    private void follow(Spawn spawn, Function<FrameDecoder.Sink, WorkerStream> way) {
        StreamRecorder recorder =
                new StreamRecorder(spawn.log(), parts.clock(), spawn::ack, () -> handleRecorded(spawn));
        recorder.start();
        spawn.connect(way.apply(new FrameRouter(spawn, blocked, counters, changes(spawn))));
    }

    /** What frames change of that spawn. */
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
     * The agent says which session of its own it has, which names the spawn from now on. What is in the wall says so, and
     * it must not take a name that a captain may have chosen: only ids count of the forms that agents make by chance.
     */
    private void nameAfter(Spawn spawn, String id) {
        if (spawn.sessionId() == null && AGENT_SESSION.matcher(id).matches() && spawns.isFreeForSession(id)) {
            spawn.setSessionId(id);
            spawns.index(spawn);
            save(spawn);
        }
    }

    /** The end of a spawn that has a stream is recorded when its last frames are: see {@link #handleRecorded}. */
    void finish(Spawn spawn, SpawnState end) {
        if (spawn.state().isFinal()) {
            return;
        }
        if (end == SpawnState.TERMINATED && spawn.state() == SpawnState.SPAWNING) {
            // Only where the process before died between the worker's start and the record of it.
            spawn.become(SpawnState.RUNNING, nowMs());
        }
        spawn.become(end, nowMs());
        counters.handleEnded(end.wireName());
        if (end == SpawnState.FAILED) {
            save(spawn);
        }
        spawn.log().end();
        closeIoSocket(spawn);
        spawns.retire(spawn);
        spawn.settle();
    }

    /**
     * Who read when the process before was killed comes back through the door that it knows, and finds the end behind
     * it.
     */
    private void closeIoSocket(Spawn spawn) {
        if (spawn.ioSocket().isEmpty() && spawn.hasRun() && !spawn.isTracked()) {
            sessionSockets.linger(spawn);
        } else {
            sessionSockets.close(spawn);
        }
    }

    /** A spawn that ended shortly before the process before was killed: the same. */
    void openIoSocketAgainOfEnded(Spawn spawn) {
        if (spawn.hasRun() && !spawn.isTracked() && nowMs() - spawn.endedMs() < LINGER_MS) {
            sessionSockets.linger(spawn);
        }
    }

    /** The stream ended and is on disk: now its end may be, and memory and the link are not needed any more. */
    private void handleRecorded(Spawn spawn) {
        save(spawn);
        spawn.disconnect();
        spawn.lastWords().handOver(spawn.spawnId(), parts.logs());
        spawn.log().release();
        spawn.tree().forget();
    }

    /** It never ran, or nobody knows what became of it. */
    void fail(Spawn spawn, BrigException refusal) {
        if (!spawn.state().isFinal()) {
            logger.atInfo()
                    .addKeyValue("spawn_id", spawn.spawnId())
                    .log("refused code={} {}", refusal.code(), refusal.getMessage());
            spawn.setLastError(refusal);
            finish(spawn, SpawnState.FAILED);
        }
    }

    /** Its worker is gone and said no goodbye: the gateway says it for its readers. */
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
        // A gateway before this one may have shown more of the stream than it recorded, and nobody has that any more.
        CompletionStage<Void> known = spawn.isConnected() ? CompletableFuture.completedFuture(null) : beginEpoch(spawn);
        return known.thenRun(() -> {
            if (!spawn.state().isFinal()) {
                endLost(spawn);
            }
        });
    }

    /** The record is all that is left of the stream, and readers that knew more have to begin again. */
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

    /** It ended in the process before, and the record does not say how: the disk was full. */
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
     * Nobody tells any more what an agent says that Brig did not start.
     *
     * @param why null where that was asked for
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

    /** Nobody could say for too long what became of it. How its process ended, if it did, nobody says either. */
    void giveUp(Spawn spawn, BrigException timeout) {
        spawn.binding().setLastSeq(spawn.log().nextSeq() - 1);
        if (spawn.hasRun()) {
            sayGoodbye(spawn, timeout, null, "reconcile_timeout");
        }
        fail(spawn, timeout);
    }

    private void sayGoodbye(Spawn spawn, @Nullable BrigException error, Frame.@Nullable Done done, String reason) {
        if (!spawn.isConnected()) {
            new StreamRecorder(spawn.log(), parts.clock(), seq -> {}, () -> handleRecorded(spawn)).start();
        }
        if (error != null) {
            append(spawn, Frame.Failure.of(error, null));
        }
        if (done != null) {
            append(spawn, done);
        }
        append(spawn, new Frame.State(Frame.State.TERMINATED, reason));
    }

    private void append(Spawn spawn, Frame frame) {
        // Behind frames that a reader may have got of the gateway before, and that were lost with the worker-agent.
        long seq = spawn.log().nextSeq();
        byte[] line = Json.writeLine(new NumberedFrame(seq, nowMs(), frame));
        FrameRouter.keep(spawn, frame.type(), seq, line, 0, line.length);
    }

    /** Opens the door of a spawn that runs already; it goes on without one where that fails. */
    private void openIoSocketAgain(Spawn spawn) {
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
