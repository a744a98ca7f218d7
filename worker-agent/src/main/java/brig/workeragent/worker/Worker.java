package brig.workeragent.worker;

import brig.formats.adapter.Adapter;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Message;
import brig.protocol.control.Posture;
import brig.workeragent.profile.AgentProfile;
import brig.workeragent.pump.Outbox;
import brig.workeragent.recording.Recorder;
import brig.workeragent.wall.ProcessEnd;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.WalledProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker from its first frame to its last: takes messages, runs processes for them one at a time, stops
 * them. An agent whose format has turns is one process, and gets the next message when it has worked off the
 * last.
 *
 * <p>Whoever calls only queues a task; all state is owned by the worker's {@link SerialExecutor}. What blocks
 * (starting a process) runs beside it and comes back as a task.
 *
 * <p>Decisions 0011, 0124.
 */
public final class Worker {
    /** What becomes of a worker. Called from its sequence, or from the thread that acknowledged. */
    interface Listener {
        /** The last frame is there, and nothing of the worker is left on the host. */
        void handleEnded(Worker worker);

        /** The last frame was acknowledged: nobody needs the worker any more. */
        void handleDrained(Worker worker);
    }

    /** What all workers share. */
    record Services(StopTimes times, Timers timers, Executor threads, Listener listener) {}

    private enum State {
        NEW,
        IDLE,
        STARTING,
        RUNNING,
        ENDED
    }

    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final int EXIT_NOT_FOUND = 127;
    private static final int EXIT_NOT_STARTED = 126;
    /** An agent that has worked off its only message may have something to finish, such as its transcript. */
    private static final long FINISH_MS = 5000;

    private final WorkerPlan plan;
    private final AgentProfile profile;
    private final Adapter adapter;
    private final Wall wall;
    private final Outbox outbox;
    private final WorkerFrames frames;
    private final Services around;
    private final SerialExecutor sequence;
    private final Timers timers;

    // Owned by the sequence.
    private final Mailbox mailbox = new Mailbox();
    private State state = State.NEW;
    private @Nullable AgentProcess process;
    private @Nullable StopLadder ladder;
    private Timers.@Nullable Timer idle;
    private Timers.@Nullable Timer wallClock;
    private Timers.@Nullable Timer turn;
    /** A message is being worked off; where the format has turns. */
    private boolean busy;

    private boolean cancelled;
    private boolean timedOut;
    private @Nullable EndReason ending;

    Worker(WorkerPlan plan, Wall wall, Outbox outbox, Services around) {
        this.plan = plan;
        this.profile = plan.profile();
        this.adapter = plan.resources().adapter();
        this.wall = wall;
        this.outbox = outbox;
        this.around = around;
        this.sequence = new SerialExecutor(around.threads());
        this.timers = around.timers().on(sequence);
        this.frames = new WorkerFrames(plan.spawnId(), outbox, timers);
    }

    public String spawnId() {
        return plan.spawnId();
    }

    /** The policy that its wall was made by. */
    public String policyName() {
        String chosen = plan.request().policy();
        return chosen == null ? profile.policy() : chosen;
    }

    Path workspace() {
        return plan.workspace();
    }

    /** Whether a message had its turn and is not worked off; for whoever did not follow its frames. */
    boolean isWorking() {
        return frames.isWorking();
    }

    public Outbox outbox() {
        return outbox;
    }

    /**
     * Completes when the worker is up, with what its wall enforces; exceptionally, with a {@link BrigException},
     * where its process cannot be started.
     */
    CompletableFuture<Posture> start() {
        CompletableFuture<Posture> up = new CompletableFuture<>();
        sequence.execute(() -> doStart(up));
        return up;
    }

    /**
     * A message of a captain. One that is taken is told by a frame {@code accepted}, where it has a name, and one that was
     * taken before under the same name by nothing else; what cannot be taken becomes an error frame.
     */
    public void input(Message message) {
        sequence.execute(() -> handleInput(message));
    }

    /** Connects to a server of its agent, as {@link Wall#dial}. */
    public CompletableFuture<Integer> dial(int port) {
        return wall.dial(port);
    }

    /** Stops what runs now. */
    public void cancel() {
        sequence.execute(this::handleCancel);
    }

    /** Ends the worker; the first reason stands. */
    public void terminate(EndReason reason) {
        sequence.execute(() -> handleTerminate(reason));
    }

    /**
     * The gateway has stored every frame up to {@code seq}.
     *
     * @throws BrigException where there is no such frame yet
     */
    public void ack(long seq) {
        if (outbox.ack(seq)) {
            around.listener().handleDrained(this);
        }
    }

    private void doStart(CompletableFuture<Posture> up) {
        frames.running();
        String prompt = plan.request().prompt();
        if (profile.oneProcess() || prompt != null) {
            launch(
                    prompt == null
                            ? null
                            : new Message(
                                    prompt,
                                    null,
                                    plan.asker().captain(),
                                    plan.asker().via()),
                    up);
        } else {
            measure(up);
        }
    }

    private void handleInput(Message message) {
        if (state == State.ENDED) {
            return;
        }
        if (mailbox.hasTaken(message)) {
            frames.accepted(message);
        } else if (ending != null) {
            refuse("the worker is being ended", message);
        } else if (profile.oneProcess() && !profile.stdinLines()) {
            refuse("this agent takes no messages after its start", message);
        } else {
            take(message);
        }
    }

    private void take(Message message) {
        boolean now = state == State.IDLE || (process != null && profile.oneProcess() && !busy);
        if (!now && !mailbox.offer(message)) {
            refuse("too many messages wait", message);
            return;
        }
        mailbox.take(message);
        frames.accepted(message);
        if (state == State.IDLE) {
            launch(message, null);
        } else if (now && process != null) {
            hand(process, message);
        }
    }

    private void hand(AgentProcess to, Message message) {
        frames.turnOf(message);
        give(to, message);
    }

    private void give(AgentProcess to, Message message) {
        if (!to.send(message.content())) {
            refuse("the agent does not read its standard input", message);
        } else if (adapter.hasTurns()) {
            busy = true;
            cancelled = false;
            if (around.times().turn() > 0) {
                turn = timers.schedule(around.times().turn(), this::handleLongTurn);
            }
        }
    }

    /** The agent has worked off a message, and said so in a frame. */
    private void handleTurnDone() {
        frames.turnOver();
        if (process == null || ladder == null) {
            return;
        }
        endTurn();
        ladder.handleObeyed(ending == null && !timedOut);
        if (ladder.begun()) {
            return;
        }
        cancelled = false;
        Message next = mailbox.poll();
        if (plan.request().once()) {
            ending = EndReason.COMPLETED;
            ladder.finish(FINISH_MS);
        } else if (next != null) {
            hand(process, next);
        }
    }

    private void refuse(String why, Message message) {
        mailbox.forget(message);
        frames.refused(new BrigException(ErrorCode.INPUT_NOT_ACCEPTED, why), message);
    }

    private void handleCancel() {
        if (state == State.RUNNING && adapter.hasTurns() && !busy) {
            return;
        }
        cancelled |= state == State.STARTING || state == State.RUNNING;
        if (ladder != null) {
            ladder.begin();
        }
    }

    private void handleTerminate(EndReason reason) {
        if (state == State.ENDED || ending != null) {
            return;
        }
        ending = reason;
        outbox.openGate();
        LOG.info("terminating spawn_id={} state={} reason={}", spawnId(), state, reason);
        refuseWaiting();
        if (state == State.IDLE || state == State.NEW) {
            end(reason);
        } else if (ladder != null) {
            ladder.begin();
        }
    }

    /** What waits for its turn will not have one: each message that nobody works off is said to be one. */
    private void refuseWaiting() {
        for (Message waiting = mailbox.poll(); waiting != null; waiting = mailbox.poll()) {
            refuse("a message that waited was not worked off: the worker is being ended", waiting);
        }
    }

    private void becomeIdle() {
        become(State.IDLE);
        idle = timers.schedule(plan.policy().idleMsWithin(around.times().idle()), () -> {
            if (idle != null && state == State.IDLE) {
                end(EndReason.IDLE_TIMEOUT);
            }
        });
    }

    private void become(State next) {
        LOG.debug("spawn_id={} {} -> {}", spawnId(), state, next);
        if (idle != null) {
            idle.cancel();
            idle = null;
        }
        state = next;
    }

    /** Nothing runs before the first message, but what the wall is worth has to be known now. */
    private void measure(CompletableFuture<Posture> up) {
        become(State.STARTING);
        beside(up, () -> {
            Posture posture = wall.measure();
            sequence.execute(() -> handleMeasured(posture, up));
        });
    }

    private void handleMeasured(Posture posture, CompletableFuture<Posture> up) {
        up.complete(posture);
        goOn();
    }

    /** @param up told of the outcome instead of the stream, for the start of the worker itself */
    private void launch(@Nullable Message message, @Nullable CompletableFuture<Posture> up) {
        become(State.STARTING);
        cancelled = false;
        timedOut = false;
        if (message != null) {
            frames.turnOf(message);
        }
        beside(up, () -> {
            String content = message == null ? "" : message.content();
            List<String> command =
                    profile.commandFor(plan.request(), content, plan.resources().program());
            WalledProcess started = wall.start(command, profile.messageIsFile() ? content : null, profile.stdinLines());
            sequence.execute(() -> handleStarted(started, message, up));
        });
    }

    private interface Start {
        void run() throws InterruptedException;
    }

    /** Runs what blocks on another thread; what it throws comes back as a task. */
    private void beside(@Nullable CompletableFuture<Posture> up, Start start) {
        around.threads().execute(() -> {
            try {
                start.run();
            } catch (BrigException e) {
                sequence.execute(() -> handleStartFailed(e, up));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                BrigException stop = new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
                sequence.execute(() -> handleStartFailed(stop, up));
            } catch (RuntimeException e) {
                LOG.error("starting a process failed spawn_id={}", spawnId(), e);
                BrigException fault = new BrigException(ErrorCode.INTERNAL, "internal error");
                sequence.execute(() -> handleStartFailed(fault, up));
            }
        });
    }

    private void handleStarted(
            WalledProcess started, @Nullable Message message, @Nullable CompletableFuture<Posture> up) {
        become(State.RUNNING);
        AgentProcess running = new AgentProcess(
                spawnId(),
                started,
                new AgentProcess.Conversation(
                        adapter,
                        plan.task(),
                        () -> sequence.execute(this::handleTurnDone),
                        plan.resources().recorder()),
                outbox,
                timers);
        process = running;
        ladder = new StopLadder(spawnId(), running, around.times(), timers);
        if (plan.wallClockMs() > 0) {
            wallClock = timers.schedule(plan.wallClockMs(), this::handleWallClock);
        }
        if (profile.stdinLines()) {
            writeFirst(running, message);
        }
        var unused = running.finished().thenAcceptAsync(this::handleFinished, sequence);
        if (up != null) {
            up.complete(started.posture());
        }
        if (ending != null || cancelled) {
            ladder.begin();
        }
    }

    /**
     * Agents read their standard input to its end before they begin, so that of a single message ends behind
     * it.
     */
    private void writeFirst(AgentProcess running, @Nullable Message message) {
        if (message != null && !profile.messageComesWithCommand()) {
            give(running, message);
        }
        if (profile.oneProcess()) {
            for (Message next = busy ? null : mailbox.poll(); next != null; next = busy ? null : mailbox.poll()) {
                hand(running, next);
            }
        } else {
            running.closeStdin();
        }
    }

    private void handleStartFailed(BrigException e, @Nullable CompletableFuture<Posture> up) {
        if (up != null) {
            become(State.ENDED);
            closeWall();
            up.completeExceptionally(e);
            return;
        }
        frames.error(e);
        int exitCode = e.code() == ErrorCode.COMMAND_NOT_FOUND ? EXIT_NOT_FOUND : EXIT_NOT_STARTED;
        frames.done(exitCode, null, "start_failed");
        afterDone(EndReason.FAILED);
    }

    /** The process lived as long as its policy allows. A stop that had begun before keeps its reason. */
    private void handleWallClock() {
        if (wallClock != null && ladder != null && !ladder.begun()) {
            LOG.info("wall clock reached spawn_id={}", spawnId());
            timedOut = true;
            ladder.begin();
        }
    }

    private void endTurn() {
        busy = false;
        if (turn != null) {
            turn.cancel();
            turn = null;
        }
    }

    /** No message is worked on for ever: an agent may wait for something that never comes. */
    private void handleLongTurn() {
        if (turn != null && busy && ladder != null && !ladder.begun()) {
            frames.error(new BrigException(
                    ErrorCode.TURN_TIMEOUT,
                    "the agent worked on the message for "
                            + TimeUnit.MILLISECONDS.toSeconds(around.times().turn())
                            + " s (worker.turnMs): it is cancelled"));
            handleCancel();
        }
    }

    private void handleFinished(ProcessEnd end) {
        if (ladder != null) {
            ladder.handleEnd();
        }
        if (wallClock != null) {
            wallClock.cancel();
            wallClock = null;
        }
        if (process != null) {
            process.closeStdin();
        }
        Recorder recorder = plan.resources().recorder();
        if (recorder != null) {
            recorder.exit(end.exitCode());
        }
        ladder = null;
        process = null;
        if (busy || !adapter.hasTurns()) {
            endTurn();
            frames.done(end.exitCode(), end.signal(), reasonOf(end));
        } else if (ending == null && !cancelled && !timedOut && end.exitCode() != 0) {
            frames.error(new BrigException(
                    ErrorCode.WORKER_LOST, "the agent's process ended by itself, with exit code " + end.exitCode()));
            afterDone(EndReason.FAILED);
            return;
        }
        afterDone(EndReason.COMPLETED);
    }

    /** Who was stopped did not die of the memory that one of its processes lacked before. */
    private @Nullable String reasonOf(ProcessEnd end) {
        if (timedOut) {
            return "timeout";
        }
        if (cancelled) {
            return "cancelled";
        }
        return ending != null ? "terminated" : end.outOfMemory() ? "out_of_memory" : null;
    }

    private void afterDone(EndReason byItself) {
        if (ending == null && (profile.oneProcess() || plan.request().once())) {
            end(byItself);
        } else {
            goOn();
        }
    }

    /** Nothing runs now: ends where that was asked for, takes the next message, or waits for one. */
    private void goOn() {
        Message next = ending == null ? mailbox.poll() : null;
        if (ending != null) {
            end(ending);
        } else if (next != null) {
            launch(next, null);
        } else {
            becomeIdle();
        }
    }

    /**
     * The one way to end. The last frame comes after everything else, so whoever sees it knows that nothing
     * is left.
     */
    private void end(EndReason reason) {
        become(State.ENDED);
        ending = reason;
        refuseWaiting();
        closeWall();
        frames.terminated(reason);
        around.listener().handleEnded(this);
    }

    /** Gives back what it has on the host. Called by itself, or by who made it and does not start it. */
    void closeWall() {
        Recorder recorder = plan.resources().recorder();
        if (recorder != null) {
            recorder.close();
        }
        try {
            wall.close();
        } catch (RuntimeException e) {
            LOG.error("the wall left something behind spawn_id={}", spawnId(), e);
        }
    }
}
