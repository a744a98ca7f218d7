package brig.workeragent.worker;

import brig.formats.adapter.Adapter;
import brig.formats.adapter.AgentTask;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.Message;
import brig.protocol.control.Posture;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.frame.Frame;
import brig.protocol.spawn.TerminalSize;
import brig.workeragent.profile.AgentProfile;
import brig.workeragent.profile.TerminalStart;
import brig.workeragent.pump.Outbox;
import brig.workeragent.recording.Recorder;
import brig.workeragent.wall.ProcessEnd;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.WalledProcess;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker from its first frame to its last: accepts messages, runs processes for them one at a time, stops them. An
 * agent whose format has turns is one process, which gets the next message when the previous turn is done.
 *
 * <p>Public methods only queue tasks; all state is owned by the worker's {@link SerialExecutor}. Blocking work
 * (starting a process) runs on another thread and returns as a task.
 *
 * <p>Decisions 0011, 0124.
 */
public final class Worker {
    /** Listens to a worker's end. Called from its sequence, or from the thread that acknowledged. */
    interface Listener {
        /** The last frame was written, and nothing of the worker is left on the host. */
        void handleEnded(Worker worker);

        /** The last frame was acknowledged: the worker is no longer needed. */
        void handleDrained(Worker worker);
    }

    /** Shared by all workers. */
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
    /** After its only message an agent may have to finish something, such as its transcript. */
    private static final long FINISH_MS = 5000;

    private final WorkerPlan plan;
    private final AgentProfile profile;
    private final Adapter adapter;
    private final Wall wall;
    private final Outbox outbox;
    private final WorkerFrames frames;
    private final OpenAsks asks;
    private final AgentTask task;
    private final Services around;
    private final SerialExecutor sequence;
    private final Timers timers;
    private final BudgetTime time;

    // Owned by the sequence.
    private final Mailbox mailbox = new Mailbox();
    private State state = State.NEW;
    private @Nullable AgentProcess process;
    private @Nullable StopLadder ladder;
    private Timers.@Nullable Timer idle;
    private Timers.@Nullable Timer wallClock;
    private Timers.@Nullable Timer turn;
    /** Whether a turn is running, if the format has turns. */
    private boolean busy;

    private boolean cancelled;
    private boolean timedOut;
    /** Whether the newest input of the agent's terminal had no room. */
    private boolean overfull;

    private @Nullable EndReason ending;

    Worker(WorkerPlan plan, Wall wall, Outbox outbox, OpenAsks asks, Services around) {
        this.plan = plan;
        this.profile = plan.profile();
        this.adapter = plan.resources().adapter();
        this.wall = wall;
        this.outbox = outbox;
        this.asks = asks;
        this.around = around;
        this.sequence = new SerialExecutor(around.threads());
        this.timers = around.timers().on(sequence);
        this.frames = new WorkerFrames(plan.spawnId(), outbox, timers);
        this.task = plan.task();
        this.time = new BudgetTime(plan.terms(), timers, frames, () -> handleTerminate(EndReason.BUDGET));
    }

    public String spawnId() {
        return plan.spawnId();
    }

    /** The policy that its wall was built with. */
    public String policyName() {
        String chosen = plan.request().policy();
        return chosen == null ? profile.policy() : chosen;
    }

    /** Its folder, as people name it. */
    String workspace() {
        return plan.workspace().shown();
    }

    /** What its gateway is told when it is up. */
    SpawnAnswer answer(Posture posture) {
        TerminalStart terminal = plan.tty() == null ? null : profile.tty();
        return new SpawnAnswer(workspace(), posture, terminal != null && terminal.isSmallest());
    }

    /** Whether a turn is unfinished, for callers that did not follow its frames. */
    boolean isWorking() {
        return frames.isWorking();
    }

    /**
     * Runs blocking work while no turn runs. None begins before it is done.
     *
     * @param refused run instead if the agent works, or may work, as on a terminal
     */
    void whileAtRest(Runnable work, Runnable refused) {
        sequence.execute(() -> {
            boolean working = state != State.IDLE && state != State.ENDED;
            boolean betweenTurns = state == State.RUNNING && plan.tty() == null && adapter.hasTurns() && !busy;
            (working && !betweenTurns ? refused : work).run();
        });
    }

    public Outbox outbox() {
        return outbox;
    }

    /**
     * Completes with the wall's posture when the worker is up; exceptionally, with a {@link BrigException}, if its
     * process cannot be started.
     */
    CompletableFuture<Posture> start() {
        CompletableFuture<Posture> up = new CompletableFuture<>();
        sequence.execute(() -> doStart(up));
        return up;
    }

    /**
     * Handles a captain's message. If it has an id, its acceptance is reported by an {@code accepted} frame, which is
     * all that a repetition causes; a refusal becomes an error frame.
     */
    public void input(Message message) {
        sequence.execute(() -> handleInput(message));
    }

    /** Handles keys for its agent's terminal; those that have no room are refused by an error frame. */
    public void keys(String keys) {
        sequence.execute(() -> handleTerminal(running -> running.keys(keys)));
    }

    /** Gives its agent's terminal a size. */
    public void resize(TerminalSize size) {
        sequence.execute(() -> handleTerminal(running -> running.resize(size, timers.nowMs())));
    }

    /** Connects to a server of its agent, as {@link Wall#dial}. */
    public CompletableFuture<Integer> dial(int port) {
        return wall.dial(port);
    }

    /**
     * Answers an ask, as {@link OpenAsks#answer}.
     *
     * @return the ask; what a person decides about a host is then still to be carried out
     */
    public Frame.Ask answer(String askId, AnswerChoice choice) {
        return asks.answer(askId, choice);
    }

    /** Its asks that wait for an answer, the oldest first. */
    public List<Frame.Ask> openAsks() {
        return asks.list();
    }

    /** Cancels the current turn. */
    public void cancel() {
        sequence.execute(this::handleCancel);
    }

    /** Ends the worker; the first reason counts. */
    public void terminate(EndReason reason) {
        sequence.execute(() -> handleTerminate(reason));
    }

    /**
     * The gateway has stored every frame up to {@code seq}.
     *
     * @throws BrigException if there is no such frame yet
     */
    public void ack(long seq) {
        if (outbox.ack(seq)) {
            around.listener().handleDrained(this);
        }
    }

    private void doStart(CompletableFuture<Posture> up) {
        frames.running(plan.fork(), plan.conversation(), plan.summary());
        frames.budget(plan.terms());
        time.start();
        if (plan.startsAtOnce() && plan.request().setup().prepare().isEmpty()) {
            launch(plan.first(), up);
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
        } else if (plan.tty() != null) {
            refuse("this agent is on a terminal: send keys", message);
        } else if (profile.oneProcess() && !profile.stdinLines()) {
            refuse("this agent takes no messages after its start", message);
        } else {
            take(message);
        }
    }

    /** A terminal whose agent does not read is told of once, until there is room again. */
    private void handleTerminal(Predicate<AgentProcess> input) {
        boolean taken = process == null || input.test(process);
        if (!taken && !overfull) {
            frames.error(new BrigException(
                    ErrorCode.INPUT_NOT_ACCEPTED,
                    plan.tty() == null
                            ? "the session has no terminal"
                            : "the agent does not read its terminal: keys are lost"));
        }
        overfull = !taken;
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
            frames.keep(plan.resources().keeper());
            launch(message, null);
        } else if (now && process != null) {
            hand(process, message);
        }
    }

    private void hand(AgentProcess to, Message message) {
        frames.keep(plan.resources().keeper());
        give(to, frames.turnOf(message));
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

    /** The agent's turn ended, with its frame written. */
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
        if (state == State.RUNNING && (plan.tty() != null || (adapter.hasTurns() && !busy))) {
            return;
        }
        cancelled |= state == State.STARTING || state == State.RUNNING;
        asks.endAll(true);
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
        asks.endAll(true);
        if (state == State.IDLE || state == State.NEW) {
            end(reason);
        } else if (ladder != null) {
            ladder.begin();
        } else {
            wall.abandonStart();
        }
    }

    /** Refuses the waiting messages, each with an error frame, since they will have no turn. */
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

    /** Nothing of the agent runs yet, but the wall's posture must be known now. */
    private void measure(CompletableFuture<Posture> up) {
        become(State.STARTING);
        beside(up, () -> {
            Posture posture = wall.measure();
            sequence.execute(() -> handleMeasured(posture, up));
        });
    }

    private void handleMeasured(Posture posture, CompletableFuture<Posture> up) {
        up.complete(posture);
        if (ending == null && plan.startsAtOnce()) {
            launch(plan.first(), null);
        } else {
            goOn();
        }
    }

    /** @param up receives the outcome of the worker's own start, instead of the stream */
    private void launch(@Nullable Message first, @Nullable CompletableFuture<Posture> up) {
        become(State.STARTING);
        cancelled = false;
        timedOut = false;
        Message message = first == null ? null : frames.turnOf(first);
        beside(up, () -> {
            String content = message == null ? "" : message.content();
            List<String> command =
                    profile.commandFor(plan.request(), content, plan.resources().program(), plan.copied());
            WalledProcess started =
                    wall.start(command, profile.messageIsFile() ? content : null, profile.stdinLines(), plan.tty());
            sequence.execute(() -> handleStarted(started, message, up));
        });
    }

    /** Runs blocking work on another thread; its exceptions return as a task. */
    private void beside(@Nullable CompletableFuture<Posture> up, BlockingStart start) {
        start.on(around.threads(), e -> sequence.execute(() -> handleStartFailed(e, up)));
    }

    private void handleStarted(
            WalledProcess started, @Nullable Message message, @Nullable CompletableFuture<Posture> up) {
        become(State.RUNNING);
        AgentProcess running = new AgentProcess(
                spawnId(),
                started,
                new AgentProcess.Conversation(
                        adapter,
                        task,
                        asks,
                        () -> sequence.execute(this::handleTurnDone),
                        plan.resources().recorder(),
                        plan.tty() != null),
                outbox,
                timers);
        process = running;
        ladder = new StopLadder(spawnId(), running, around.times(), timers);
        if (plan.wallClockMs() > 0) {
            wallClock = timers.schedule(plan.wallClockMs(), this::handleWallClock);
        }
        if (plan.tty() != null) {
            running.resize(plan.tty(), timers.nowMs());
        } else if (profile.stdinLines()) {
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

    /** Agents read their standard input to its end before they begin, so it is closed after a single message. */
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
        frames.done(exitCode, null, ending == null ? "start_failed" : "terminated");
        if (ending == null && e.code() == ErrorCode.PREPARATION_FAILED) {
            end(EndReason.FAILED);
        } else {
            afterDone(EndReason.FAILED);
        }
    }

    /** The process reached the time limit of its policy. An earlier stop keeps its reason. */
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

    /** A turn has a time limit, as an agent may wait for something that never comes. */
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
        asks.endAll(false);
        if (end.diskFull() != null) {
            frames.error(new BrigException(ErrorCode.DISK_FULL, end.diskFull()));
            handleTerminate(EndReason.DISK_FULL);
        }
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

    /** A stopped process did not end by an earlier out-of-memory kill of one of its children. */
    private @Nullable String reasonOf(ProcessEnd end) {
        if (end.diskFull() != null || timedOut || cancelled) {
            return end.diskFull() != null ? "disk_full" : timedOut ? "timeout" : "cancelled";
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

    /** Nothing runs now: ends if requested, takes the next message, or waits for one. */
    private void goOn() {
        Message next = ending == null ? mailbox.poll() : null;
        if (ending != null) {
            end(ending);
        } else if (next != null) {
            frames.keep(plan.resources().keeper());
            launch(next, null);
        } else {
            becomeIdle();
        }
    }

    /** The only way to end. The last frame follows everything else, so its reader knows that nothing is left. */
    private void end(EndReason reason) {
        become(State.ENDED);
        ending = reason;
        time.stop();
        refuseWaiting();
        asks.close();
        closeWall();
        frames.terminated(reason);
        around.listener().handleEnded(this);
    }

    /** Releases its resources on the host. Called by itself, or by a creator that does not start it. */
    private void closeWall() {
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
