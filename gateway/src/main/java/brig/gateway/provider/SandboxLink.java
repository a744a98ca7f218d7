package brig.gateway.provider;

import brig.gateway.deploy.LinkFailure;
import brig.gateway.deploy.Payload;
import brig.gateway.deploy.Processes;
import brig.gateway.deploy.RemoteSetup;
import brig.gateway.joint.FarEnd;
import brig.gateway.joint.LocalSockets;
import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.gateway.worker.AgentLinks;
import brig.gateway.worker.ControlLink;
import brig.gateway.worker.Reach;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.api.HostState;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.LinkToken;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to the worker-agent of one sandbox: brought there and started through the provider, then dialled. Whatever cuts
 * the connection, it is dialled again at once, with a greater epoch; what was sent meanwhile is resumed. Where the gate does
 * not answer, the worker-agent is started again.
 *
 * <p>Owned by the event loop. Decision 0217.
 */
public final class SandboxLink implements Reach, ControlLink.Listener, RemoteSetup.Outcome {
    private static final Logger log = LoggerFactory.getLogger(SandboxLink.class);

    /** How long a cut link is dialled again before sessions hear of it. */
    static final long GRACE_MS = 2_000;
    /** How long a dialled link waits for the worker-agent's answer. */
    static final long ANSWER_MS = 20_000;
    /** Failed dials before the sandbox is looked at. */
    static final int DIALS_MAX = 3;
    /** Failed setups before the first success, after which the session fails. */
    static final int SETUPS_MAX = 3;

    private static final long AT_ONCE_MS = 1;
    private static final String GATE = "0.0.0.0:" + LinkToken.PORT;

    /** What links share. */
    public record Services(
            LocalSockets sockets,
            Payload payload,
            Timers timers,
            Clock clock,
            Backoff.Jitter jitter,
            AgentLinks agents,
            LongSupplier epochs) {}

    /**
     * Whose link it is.
     *
     * @param socket its near end
     * @param key of its tokens, as text
     */
    record Identity(LinkToken token, Path socket, String key) {}

    /** Who is told. */
    interface Listener {
        /** Its worker-agent answers; it may be a new instance. */
        void handleUp(String instance);

        /** It is out of reach for now. */
        void handleDown();

        /** There is no such sandbox any more. */
        void handleGone(String why);
    }

    private final Provider provider;
    private final String name;
    private final Identity identity;
    private final Services services;
    private final Listener listener;
    private final AgentLinks.AgentLink agent;
    private final Backoff backoff;
    private final CompletableFuture<Void> first = new CompletableFuture<>();

    private @Nullable Sandbox sandbox;
    private @Nullable RemoteSetup setup;
    private Timers.@Nullable Timer timer;
    private Timers.@Nullable Timer grace;
    private LocalSockets.@Nullable Joint joint;
    private @Nullable String connected;
    /** When the provider did not show it first; null while it does. */
    private @Nullable Long absentSinceMs;
    /** Counts attempts, so that what belongs to an earlier one is not heard. */
    private int attempt;

    private int failedDials;
    private int failedSetups;
    private boolean up;
    private boolean toldDown;
    /** Whether the listener is to hear of the next answer. */
    private boolean owesUp = true;

    private boolean paused;
    private boolean closed;
    private long epoch;
    private String trouble = "";

    SandboxLink(Provider provider, String name, Identity identity, Services services, Listener listener) {
        this.provider = provider;
        this.name = name;
        this.identity = identity;
        this.services = services;
        this.listener = listener;
        backoff = new Backoff(services.jitter());
        agent = services.agents().open(identity.socket(), this, this);
    }

    WorkerAgent agent() {
        return agent.agent();
    }

    @Nullable
    Sandbox sandbox() {
        return sandbox;
    }

    /** Why it is not up, for a person; empty if it is. */
    String trouble() {
        return up ? "" : trouble;
    }

    /** Brings a worker-agent to a new sandbox. @return completes when it answers */
    CompletionStage<Void> prepare(Sandbox made) {
        sandbox = made;
        setUp(made);
        return first;
    }

    /** Looks for the sandbox of an earlier gateway, in which a worker-agent may run. */
    void adopt() {
        look();
    }

    /** Its sandbox stands still, for as long as somebody wants. */
    void handlePaused() {
        if (closed) {
            return;
        }
        up = false;
        paused = true;
        backoff.reset();
        handleTrouble("the sandbox " + name + " is paused");
        // Nobody is to wait for it, as for one whose link is cut.
        if (grace != null) {
            grace.cancel();
            handleLost();
        }
        look();
    }

    void handleResumed() {
        if (!closed) {
            up = false;
            paused = false;
            backoff.reset();
            dial();
        }
    }

    boolean isPaused() {
        return paused;
    }

    /** While it is dialled again, connections wait for that. */
    @Override
    public boolean isUp() {
        return !closed && !toldDown && sandbox != null;
    }

    @Override
    public Long epoch() {
        return epoch;
    }

    private void later(long delayMs, Runnable task) {
        cancelTimer();
        int mine = attempt;
        timer = services.timers().after(delayMs, () -> {
            if (mine == attempt && !closed) {
                task.run();
            }
        });
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void endAttempt() {
        attempt++;
        cancelTimer();
        if (setup != null) {
            setup.stop();
        }
        if (joint != null) {
            joint.close();
            joint = null;
        }
    }

    /** Whether the sandbox is there, and what it does. */
    private void look() {
        endAttempt();
        int mine = attempt;
        provider.find(name).whenComplete((found, failure) -> {
            if (mine != attempt || closed) {
                return;
            }
            if (failure != null) {
                handleTrouble(ProviderFailure.of(failure).getMessage());
                later(backoff.nextMs(0), this::look);
            } else if (found == null) {
                handleAbsent();
            } else {
                handleSeen(found);
            }
        });
    }

    private void handleAbsent() {
        long nowMs = services.clock().nowMs();
        // One that was seen is gone if it stays absent; one that never was may not be shown yet.
        if (sandbox != null
                && absentSinceMs != null
                && nowMs - absentSinceMs > provider.capabilities().lagMs()) {
            listener.handleGone("the provider has no sandbox " + name + " any more");
        } else {
            absentSinceMs = absentSinceMs == null ? nowMs : absentSinceMs;
            handleTrouble("the provider does not show the sandbox " + name);
            later(backoff.nextMs(0), this::look);
        }
    }

    private void handleSeen(Sandbox found) {
        boolean isNew = sandbox == null;
        sandbox = found;
        paused = found.state() == Sandbox.State.PAUSED;
        absentSinceMs = null;
        switch (found.state()) {
            case RUNNING -> {
                if (isNew) {
                    dial();
                } else {
                    setUp(found);
                }
            }
            case GONE -> listener.handleGone("the sandbox " + name + " has ended");
            case PENDING, PAUSED -> {
                handleTrouble("the sandbox " + name + " is " + (paused ? "paused" : "starting"));
                later(backoff.nextMs(0), this::look);
            }
        }
    }

    private void setUp(Sandbox where) {
        endAttempt();
        RemoteSetup next = new RemoteSetup(
                List::of,
                new RemoteSetup.Start(
                        List.of("--gate", GATE, "--spawn-id", identity.token().spawnId()),
                        new Processes.Input.Line(identity.key())),
                new RemoteSetup.Services(
                        (command, input, ended) -> provider.run(where, command, input, ended),
                        services.payload(),
                        services.timers(),
                        identity.token().gateway()),
                this);
        setup = next;
        next.begin();
    }

    @Override
    public void handleProgress(HostState state, @Nullable Integer percent) {
        log.debug("sandbox {} {} {}", name, state, percent);
    }

    @Override
    public void handleStarted(String socket) {
        failedDials = 0;
        dial();
    }

    @Override
    public void handleFailure(LinkFailure failure) {
        handleTrouble(failure.reason() + "; " + failure.mend());
        if (!first.isDone() && ++failedSetups >= SETUPS_MAX) {
            first.completeExceptionally(new BrigException(ErrorCode.HOST_UNFIT, trouble));
        } else {
            later(backoff.nextMs(0), this::look);
        }
    }

    @Override
    public void handleUnfit(List<Finding> findings) {
        Finding worst = findings.stream()
                .filter(one -> one.status() == FindingStatus.FAIL)
                .findFirst()
                .orElse(findings.getFirst());
        String mend = worst.mend();
        handleTrouble(worst.name() + ": " + worst.detail() + (mend == null ? "" : "; " + mend));
        if (first.isDone()) {
            later(backoff.nextMs(0), this::look);
        } else {
            first.completeExceptionally(
                    new BrigException(ErrorCode.HOST_UNFIT, "the sandbox " + name + ": " + trouble));
        }
    }

    private void handleTrouble(@Nullable String why) {
        trouble = String.valueOf(why);
        if (grace == null && !toldDown) {
            grace = services.timers().after(GRACE_MS, this::handleLost);
        }
    }

    private void handleLost() {
        grace = null;
        if (!closed) {
            toldDown = true;
            owesUp = true;
            log.info("sandbox {} is out of reach: {}", name, trouble);
            listener.handleDown();
        }
    }

    private void dial() {
        Sandbox where = sandbox;
        if (where == null) {
            look();
            return;
        }
        endAttempt();
        epoch = services.epochs().getAsLong();
        String token = identity.token().sign(identity.key().getBytes(StandardCharsets.US_ASCII), epoch);
        FarEnd.Opener far = provider.dial(where, LinkToken.PORT, LinkToken.PATH, Map.of(LinkToken.HEADER, token));
        int mine = attempt;
        services.sockets()
                .clear(identity.socket())
                .thenCompose(cleared -> mine == attempt
                        ? services.sockets().join(identity.socket(), far, why -> handleEnded(mine, why))
                        : CompletableFuture.failedStage(new BrigException(ErrorCode.INTERNAL, "given up")))
                .whenComplete((made, failure) -> handleDialled(mine, made, failure));
    }

    private void handleDialled(int mine, LocalSockets.@Nullable Joint made, @Nullable Throwable failure) {
        if (mine != attempt || closed) {
            if (made != null) {
                made.close();
            }
        } else if (made == null) {
            handleTrouble(
                    failure == null ? "" : String.valueOf(Reason.cause(failure).getMessage()));
            if (++failedDials >= DIALS_MAX) {
                later(backoff.nextMs(0), this::look);
            } else {
                later(backoff.nextMs(0), this::dial);
            }
        } else {
            joint = made;
            // Connections may be made again.
            toldDown = false;
            later(ANSWER_MS, this::handleUnanswered);
        }
    }

    private void handleUnanswered() {
        handleTrouble("its worker-agent does not answer");
        look();
    }

    private void handleEnded(int mine, String why) {
        if (mine != attempt || closed) {
            return;
        }
        boolean wasUp = up;
        up = false;
        handleTrouble("the connection ended: " + why);
        if (wasUp) {
            backoff.reset();
            failedDials = 0;
            later(AT_ONCE_MS, this::dial);
        } else if (++failedDials >= DIALS_MAX) {
            later(backoff.nextMs(0), this::look);
        } else {
            later(backoff.nextMs(0), this::dial);
        }
    }

    @Override
    public void handleUp(String instance) {
        if (closed || joint == null) {
            return;
        }
        cancelTimer();
        if (grace != null) {
            grace.cancel();
            grace = null;
        }
        boolean isNews = owesUp || !instance.equals(connected);
        owesUp = false;
        connected = instance;
        up = true;
        failedDials = 0;
        backoff.reset();
        if (setup != null) {
            setup.handleUp();
        }
        first.complete(null);
        if (isNews) {
            listener.handleUp(instance);
        }
    }

    /** The control connection ended, or was not made. With the joint it is dialled again; else the worker-agent is looked for. */
    @Override
    public void handleDown() {
        if (!closed && joint != null && up) {
            up = false;
            handleTrouble("the connection to its worker-agent ended");
            later(ANSWER_MS, this::handleUnanswered);
        }
    }

    @Override
    public void handleUntrusted(BrigException why) {
        handleTrouble(why.getMessage());
    }

    @Override
    public void handleRecordLost(BrigException why) {
        log.error("sandbox {}: {}", name, why.getMessage());
    }

    /** Ends the link for good, not the sandbox. */
    void close() {
        closed = true;
        endAttempt();
        if (grace != null) {
            grace.cancel();
        }
        first.completeExceptionally(new BrigException(ErrorCode.SESSION_ENDED, "its sandbox is given up"));
        agent.closer().run();
        var _ = services.sockets().clear(identity.socket());
    }
}
