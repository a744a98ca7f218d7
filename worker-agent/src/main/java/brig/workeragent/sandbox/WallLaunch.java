package brig.workeragent.sandbox;

import brig.protocol.control.Posture;
import brig.workeragent.limits.LimitsLease;
import brig.workeragent.pipe.InputPipe;
import brig.workeragent.pipe.OutputPipe;
import brig.workeragent.sandbox.BubblewrapProcess.Stdio;
import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One wall, from its request until nothing is left of it. It ends only in {@link #handleEnd}, which releases the lease
 * and then completes the exit. Futures complete on threads of their own, never on one of ours.
 */
final class WallLaunch {

    private static final Logger LOG = LoggerFactory.getLogger(WallLaunch.class);

    private enum State {
        REQUESTED,
        STARTED,
        RUNNING,
        ENDED
    }

    /** A launch: its name, its limits, and the posture to confirm. */
    record Launch(String id, LaunchRequest request, LimitsLease lease, PostureMeasurement posture) {}

    private final String id;
    private final LaunchRequest request;
    private final LimitsLease lease;
    private final LauncherLink link;
    private final Executor completions;
    private final CompletableFuture<BubblewrapProcess> launched;
    private final CompletableFuture<ProcessExit> exit = new CompletableFuture<>();

    // State owned by the thread that reads the launcher's replies.
    private State state = State.REQUESTED;
    private @Nullable Stdio stdio;
    private final PostureMeasurement posture;
    private boolean readyButNotConfirmed;

    private final WalledNetwork network;

    private volatile boolean timedOut;
    private volatile @Nullable Future<?> deadline;

    WallLaunch(Launch launch, LauncherLink link, Executor completions, CompletableFuture<BubblewrapProcess> launched) {
        this.id = launch.id();
        this.request = launch.request();
        this.lease = launch.lease();
        this.posture = launch.posture();
        this.link = link;
        this.completions = completions;
        this.launched = launched;
        this.network = new WalledNetwork(id, request.profile().network(), link);
    }

    String id() {
        return id;
    }

    LaunchRequest request() {
        return request;
    }

    void terminate() {
        link.order("signal " + id + " 15\n");
    }

    void kill() {
        link.order("kill " + id + "\n");
    }

    CompletableFuture<ProcessExit> exit() {
        return exit.copy();
    }

    void startsUntil(Future<?> newDeadline) {
        deadline = newDeadline;
    }

    void handleDeadline() {
        timedOut = true;
        kill();
    }

    /** The pipes belong to the worker's user; opening them through /proc takes our own end of each. */
    void handleStarted(long launcherPid, int stdinFd, int stdoutFd, int stderrFd) {
        become(State.STARTED);
        String descriptors = "/proc/" + launcherPid + "/fd/";
        InputPipe stdin = null;
        OutputPipe stdout = null;
        try {
            if (request.stdinPipe()) stdin = link.pipes().openInput(descriptors + stdinFd);
            stdout = link.pipes().openOutput(descriptors + stdoutFd);
            stdio = new Stdio(stdin, stdout, link.pipes().openOutput(descriptors + stderrFd));
        } catch (IOException refused) {
            LOG.warn("Cannot open the pipes of worker {}: {}", request.workerId(), refused.getMessage());
            if (stdin != null) stdin.close();
            if (stdout != null) stdout.close();
            kill();
        }
        link.order("opened " + id + "\n");
    }

    void handleFinding(String property, String finding) {
        posture.handleFinding(property, finding);
    }

    void handleReady(int hostPid) {
        Stdio opened = stdio;
        if (opened == null) return;
        if (!posture.isConfirmed()) {
            readyButNotConfirmed = true;
            kill();
            return;
        }
        become(State.RUNNING);
        cancelDeadline();
        lease.handleRunning(hostPid, this::kill);
        Posture confirmed = posture.posture();
        // They were sent before the ready reply, but over another socket.
        var _ = network.whenThere()
                .whenCompleteAsync(
                        (listeners, lost) -> {
                            if (lost == null)
                                launched.complete(new BubblewrapProcess(this, opened, hostPid, confirmed, network));
                            else launched.completeExceptionally(lost);
                        },
                        completions);
    }

    WalledNetwork network() {
        return network;
    }

    /** Process 1 refused to start the payload. */
    void handleNotEnforced() {
        handleFailure(posture.failure());
    }

    void handleExited(boolean bySignal, int number) {
        boolean ran = state == State.RUNNING;
        handleEnd(() -> {
            boolean oomKilled = lease.oomKilled();
            ProcessExit result =
                    bySignal ? ProcessExit.ofSignal(number, oomKilled) : ProcessExit.ofCode(number, oomKilled);
            lease.close();
            if (ran) exit.complete(result);
            else launched.completeExceptionally(endedAtStart());
        });
    }

    void handleFailure(SandboxException failure) {
        boolean ran = state == State.RUNNING;
        handleEnd(() -> {
            lease.close();
            if (ran) exit.completeExceptionally(failure);
            else launched.completeExceptionally(failure);
        });
    }

    private SandboxException endedAtStart() {
        if (readyButNotConfirmed) return posture.failure();
        return timedOut
                ? new SandboxException(
                        Code.START_TIMEOUT, "the wall did not stand within " + request.startTimeoutMs() + " ms")
                : new SandboxException(Code.KILLED_AT_START, "killed before the command ran");
    }

    private void handleEnd(Runnable conclusion) {
        if (state == State.ENDED) return;
        boolean ran = state == State.RUNNING;
        Stdio unused = ran ? null : stdio;
        become(State.ENDED);
        cancelDeadline();
        network.handleEnd();
        if (!ran) network.close();
        if (unused != null) {
            if (unused.stdin() != null) unused.stdin().close();
            unused.stdout().close();
            unused.stderr().close();
        }
        completions.execute(conclusion);
    }

    private void become(State next) {
        LOG.debug("Worker {}: {} -> {}", request.workerId(), state, next);
        state = next;
    }

    private void cancelDeadline() {
        Future<?> running = deadline;
        if (running != null) running.cancel(false);
    }
}
