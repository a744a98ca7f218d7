package brig.gateway.host;

import brig.gateway.deploy.LinkFailure;
import brig.gateway.deploy.Payload;
import brig.gateway.deploy.Processes;
import brig.gateway.deploy.ProgramEnd;
import brig.gateway.deploy.RemoteSetup;
import brig.gateway.deploy.Steps;
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
import brig.protocol.api.HostSettings;
import brig.protocol.api.HostState;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.TunnelWay;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The link to one host: an {@code ssh} that logs in once, a worker-agent started there, and its socket forwarded to a file
 * here. Whatever ends it, it begins anew from the top, with a new epoch. Sessions there do not notice more than a pause.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decisions 0159 and 0171.
 */
public final class HostLink implements Reach, ControlLink.Listener, RemoteSetup.Outcome {
    private static final Logger log = LoggerFactory.getLogger(HostLink.class);

    /** How long a link holds before it counts as one, and the next back-off begins small. */
    static final long STEADY_MS = 60_000;

    static final long LOOK_FOR_MASTER_MS = 250;
    static final long CONNECT_MS = 60_000;
    /** How often a master that is not ours is asked whether it is there. */
    static final long WATCH_MS = 3_000;

    static final long STEP_MS = 10_000;
    static final long ANSWER_MS = 20_000;
    /** Connections that end unanswered before forwarding counts as forbidden. */
    static final int MISSES_MAX = 3;

    /**
     * What links share.
     *
     * @param isNeeded whether sessions live on the host
     */
    record Services(
            Processes processes,
            LocalSockets sockets,
            Payload payload,
            Timers timers,
            Clock clock,
            Epochs epochs,
            AgentLinks agents,
            String gatewayId,
            BooleanSupplier isNeeded) {}

    /** Numbers links. */
    interface Epochs {
        /** A number that is greater than all before, also of earlier gateways; it is kept when this completes. */
        CompletionStage<Long> next(String host);
    }

    private final String name;
    private final SshCommands ssh;
    private final Services services;
    private final Hosts.Listener listener;
    private final Steps steps;
    private final RemoteSetup setup;
    private final AgentLinks.AgentLink agent;

    private LinkStatus status;
    /** Counts attempts, so that what belongs to an earlier one is not heard. */
    private int attempt;

    private final Attempts attempts = new Attempts();
    private boolean loggedIn;
    private long epoch;
    private Processes.@Nullable Running master;
    private Timers.@Nullable Timer timer;
    private Timers.@Nullable Timer watch;
    private @Nullable String remoteSocket;
    private @Nullable String forwarded;
    private LocalSockets.@Nullable Joint joint;
    private boolean open;
    private boolean reaching;
    /** Whether the worker-agent was reached since its connections last went another way. */
    private boolean answered;
    /** The instance that the control link is connected to; null for none. */
    private @Nullable String connected;

    private int misses;
    private boolean closed;
    private @Nullable CompletableFuture<Void> upgrading;

    HostLink(String name, SshCommands ssh, Services services, Hosts.Listener listener) {
        this.name = name;
        this.ssh = ssh;
        this.services = services;
        this.listener = listener;
        steps = new Steps(services.processes(), services.timers());
        setup = new RemoteSetup(
                ssh::remote,
                new RemoteSetup.Start(ssh.startArguments(), null),
                new RemoteSetup.Services(
                        services.processes(), services.payload(), services.timers(), services.gatewayId()),
                this);
        status = LinkStatus.of(HostState.CONNECTING, services.clock().nowMs());
        agent = services.agents().open(ssh.socket(), this, this);
    }

    WorkerAgent agent() {
        return agent.agent();
    }

    HostSettings settings() {
        return ssh.settings();
    }

    LinkStatus status() {
        return status;
    }

    /** The payload that its worker-agent runs from; null if that is not known. */
    @Nullable
    String version() {
        return setup.version();
    }

    /** The way for tunnels; null while ssh is not logged in. */
    @Nullable
    TunnelWay way() {
        return loggedIn ? ssh.way() : null;
    }

    @Override
    public boolean isUp() {
        return open;
    }

    @Override
    public @Nullable Long epoch() {
        return epoch;
    }

    private LinkStatus now(HostState state) {
        return LinkStatus.of(state, services.clock().nowMs());
    }

    private void become(LinkStatus next) {
        if (next.state() != status.state()) {
            String reason = next.reason();
            log.atLevel(attempts.isNews() ? Level.INFO : Level.DEBUG)
                    .log("host {} {} -> {}{}", name, status.state(), next.state(), reason == null ? "" : ": " + reason);
        }
        status = next;
    }

    /** Shows a step, unless the link is up all the while. */
    @Override
    public void handleProgress(HostState state, @Nullable Integer percent) {
        boolean same = status.state() == state || (upgrading != null && status.state() == HostState.UP);
        become((same ? status : now(state)).withPercent(percent));
    }

    private void later(long delayMs, Runnable task) {
        cancelTimer();
        timer = services.timers().after(delayMs, task);
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Nobody knows of the host whether it is fit: it must pass its own checks first. */
    void requireProof() {
        attempts.bePatient();
        setup.requireProof();
    }

    /** Connects, and keeps the link up until {@link #close}. */
    void begin() {
        if (closed) {
            return;
        }
        endAttempt(attempts.isSoon() ? status : now(HostState.CONNECTING));
        attempts.handleBegun(services.clock().nowMs());
        if (ssh.usesOwnMaster()) {
            // One that was killed leaves its file, beside which ssh would make no other.
            step("the end of an old ssh", ssh.exit(), ended -> clearThen(ssh.control(), this::startMaster));
        } else {
            lookForMaster(services.clock().nowMs());
        }
    }

    private void handleLogin() {
        loggedIn = true;
        attempts.handleLogin(services.clock().nowMs());
        watchMaster();
        int mine = attempt;
        services.epochs().next(name).whenComplete((next, failure) -> {
            if (mine != attempt) {
                return;
            }
            if (failure != null) {
                fail(new LinkFailure(RemoteSetup.words(failure), "make room in the gateway's state folder", false));
                return;
            }
            epoch = next;
            if (settings().tunnelOnly()) {
                become(now(HostState.UP).because("for tunnels only", null));
                later(STEADY_MS, attempts::handleSteady);
            } else {
                setup.begin();
            }
        });
    }

    private void step(String what, List<String> command, Consumer<Processes.Ended> then) {
        steps.run(new Steps.Step(what, command, STEP_MS), then, this::handleFailure);
    }

    private void startMaster() {
        int mine = attempt;
        List<String> login = ssh.master(attempts.connectS());
        master = services.processes().start(login, null, ended -> {
            if (mine == attempt) {
                master = null;
                fail(SshFailure.of(ended, name, settings()));
            }
        });
        lookForMaster(services.clock().nowMs() + CONNECT_MS);
    }

    private void lookForMaster(long untilMs) {
        step("the question for ssh", ssh.check(), ended -> {
            if (ended.code() == 0) {
                handleLogin();
            } else if (!ssh.usesOwnMaster()) {
                fail(SshFailure.noMaster(settings()));
            } else if (services.clock().nowMs() >= untilMs) {
                fail(LinkFailure.late("the login"));
            } else {
                later(LOOK_FOR_MASTER_MS, () -> lookForMaster(untilMs));
            }
        });
    }

    /** The end of a master that is not ours is told by nobody. */
    private void watchMaster() {
        if (ssh.usesOwnMaster()) {
            return;
        }
        int mine = attempt;
        Steps asking = new Steps(services.processes(), services.timers());
        watch = services.timers()
                .after(
                        WATCH_MS,
                        () -> asking.run(
                                new Steps.Step("the question for ssh", ssh.check(), STEP_MS),
                                ended ->
                                        handleWatched(mine, ended.code() == 0 ? null : SshFailure.noMaster(settings())),
                                late -> handleWatched(mine, late)));
    }

    private void handleWatched(int mine, @Nullable LinkFailure failure) {
        if (mine == attempt && failure != null) {
            fail(failure);
        } else if (mine == attempt) {
            watchMaster();
        }
    }

    @Override
    public void handleStarted(String socket) {
        remoteSocket = socket;
        if (joint != null || socket.equals(forwarded)) {
            reach();
        } else if (forwarded != null) {
            step("the end of the old forwarding", ssh.cancel(forwarded), ended -> forward(socket));
        } else {
            forward(socket);
        }
    }

    private void forward(String socket) {
        forwarded = null;
        if (ssh.usesOwnMaster()) {
            forwardAnew(socket);
        } else {
            // A killed gateway's forwarding is still in that ssh, which would not make its socket again.
            step("the end of an old forwarding", ssh.cancel(socket), ended -> forwardAnew(socket));
        }
    }

    private void forwardAnew(String socket) {
        clearThen(
                ssh.socket(),
                () -> step("the forwarding of its socket", ssh.forward(socket), ended -> {
                    if (ended.code() == 0) {
                        forwarded = socket;
                        reach();
                    } else {
                        join(socket);
                    }
                }));
    }

    private void clearThen(Path file, Runnable then) {
        int mine = attempt;
        services.sockets().clear(file).whenComplete((cleared, failure) -> {
            if (mine == attempt) {
                then.run();
            }
        });
    }

    /** Lets the control link connect; how that goes says whether the forwarding works. */
    private void reach() {
        if (status.state() == HostState.UP) {
            finishUpgrade();
            return;
        }
        open = true;
        reaching = true;
        misses = 0;
        later(ANSWER_MS, this::handleMissed);
        if (connected != null) {
            handleUp(connected);
        }
    }

    private void handleMissed() {
        reaching = false;
        open = false;
        String socket = remoteSocket;
        if (joint == null && socket != null) {
            join(socket);
        } else {
            handleFailure(SshFailure.noAnswer());
        }
    }

    /** Where sshd forbids the forwarding: one program there for all connections, over the same login. */
    private void join(String socket) {
        log.info("host {}: its socket cannot be forwarded; a program there carries all connections", name);
        String old = forwarded == null ? socket : forwarded;
        forwarded = null;
        answered = false;
        step(
                "the end of the forwarding",
                ssh.cancel(old),
                ended -> clearThen(ssh.socket(), () -> {
                    int mine = attempt;
                    FarEnd.Opener far = new ProgramEnd.Start(setup.join(socket));
                    services.sockets()
                            .join(ssh.socket(), far, why -> handleJointEnded(mine, why))
                            .whenComplete((made, failure) -> handleJoined(mine, made, failure));
                }));
    }

    private void handleJoined(int mine, LocalSockets.@Nullable Joint made, @Nullable Throwable failure) {
        if (made == null) {
            if (mine == attempt && failure != null) {
                handleFailure(new LinkFailure(RemoteSetup.words(failure), "choose another runtimeDir", true));
            }
        } else if (mine != attempt) {
            made.close();
        } else {
            joint = made;
            reach();
        }
    }

    private void handleJointEnded(int mine, String why) {
        if (mine == attempt && reaching) {
            cancelTimer();
            reaching = false;
        }
        // If ssh itself has ended, it says more.
        services.timers().after(LOOK_FOR_MASTER_MS, () -> handleWatched(mine, SshFailure.ofJoint(answered, why)));
    }

    @Override
    public void handleUp(String instance) {
        connected = instance;
        if (closed || !open) {
            return;
        }
        reaching = false;
        answered = true;
        setup.handleUp();
        LinkStatus up = status.state() == HostState.UP ? status : now(HostState.UP);
        become(
                joint == null
                        ? up
                        : up.because(
                                "its sshd forbids the forwarding of sockets; a program there carries all connections",
                                null));
        later(STEADY_MS, attempts::handleSteady);
        finishUpgrade();
        listener.handleUp(name, instance);
    }

    @Override
    public void handleDown() {
        connected = null;
        if (closed || !open) {
            return;
        }
        if (status.state() == HostState.UP) {
            handleLost();
        } else if (reaching && ++misses >= MISSES_MAX) {
            cancelTimer();
            handleMissed();
        }
    }

    /** The worker-agent closed the connection while ssh is there: it is started again. */
    private void handleLost() {
        shut(now(HostState.STARTING).because("the connection to its worker-agent ended", null));
        // An upgrade is about to start it anyway.
        if (upgrading == null) {
            later(LOOK_FOR_MASTER_MS, setup::begin);
        }
    }

    @Override
    public void handleUntrusted(BrigException why) {
        fail(new LinkFailure(why.getMessage(), "find out who listens there, or choose another runtimeDir", true));
    }

    @Override
    public void handleRecordLost(BrigException why) {
        log.error("host {}: {}", name, why.getMessage());
    }

    @Override
    public void handleUnfit(List<Finding> findings) {
        Finding first = findings.stream()
                .filter(one -> one.status() == FindingStatus.FAIL)
                .findFirst()
                .orElse(findings.getFirst());
        String reason = first.name() + ": " + first.detail();
        if (failUpgrade(ErrorCode.HOST_UNFIT, reason, first.mend())) {
            return;
        }
        shut(now(HostState.UNFIT)
                .because(reason, first.mend())
                .retryingAt(services.clock().nowMs() + Attempts.RETRY_PERSON_MS));
        later(Attempts.RETRY_PERSON_MS, () -> {
            become(now(HostState.STARTING));
            setup.begin();
        });
    }

    @Override
    public void handleFailure(LinkFailure failure) {
        if (!failUpgrade(ErrorCode.WORKER_AGENT_UNAVAILABLE, failure.reason(), failure.mend())) {
            fail(failure);
        }
    }

    /** Whether that failed an upgrade alone: what ran goes on. */
    private boolean failUpgrade(ErrorCode code, String why, @Nullable String mend) {
        CompletableFuture<Void> asked = upgrading;
        upgrading = null;
        if (asked == null) {
            return false;
        }
        steps.stop();
        setup.stop();
        asked.completeExceptionally(
                new BrigException(code, "host " + name + ": " + why + (mend == null ? "" : "; " + mend)));
        boolean goesOn = status.state() == HostState.UP;
        if (goesOn) {
            become(status.withPercent(null));
        }
        return goesOn;
    }

    private void finishUpgrade() {
        CompletableFuture<Void> asked = upgrading;
        upgrading = null;
        if (asked != null) {
            become(status.withPercent(null));
            asked.complete(null);
        }
    }

    private void fail(LinkFailure failure) {
        if (closed) {
            return;
        }
        long nowMs = services.clock().nowMs();
        long delayMs = attempts.handleFailed(failure, services.isNeeded().getAsBoolean(), nowMs);
        LinkStatus down = status.state() == HostState.DOWN ? status : now(HostState.DOWN);
        endAttempt(down.because(failure.reason(), failure.mend()).retryingAt(nowMs + delayMs));
        later(delayMs, this::begin);
    }

    /** Lets nobody connect any more, and tells of it. */
    private void shut(LinkStatus next) {
        boolean wasUp = status.state() == HostState.UP;
        open = false;
        reaching = false;
        cancelTimer();
        become(next);
        if (wasUp) {
            listener.handleDown(name);
        }
    }

    private void endAttempt(LinkStatus next) {
        attempt++;
        if (watch != null) {
            watch.cancel();
            watch = null;
        }
        steps.stop();
        setup.stop();
        failUpgrade(ErrorCode.WORKER_AGENT_UNAVAILABLE, "the link ended", null);
        shut(next);
        agent.dropper().run();
        if (joint != null) {
            joint.close();
            joint = null;
        }
        if (!ssh.usesOwnMaster() && forwarded != null) {
            services.processes().start(ssh.cancel(forwarded), null, ended -> {});
        }
        forwarded = null;
        if (master != null) {
            master.end();
            master = null;
        }
        loggedIn = false;
    }

    /** Ends the link for good. What runs there goes on. */
    void close() {
        endAttempt(now(HostState.DOWN));
        closed = true;
        agent.closer().run();
    }

    /** Brings the payload of now there and starts it, without an end of the link; one that is down begins at once. */
    CompletionStage<Void> upgrade() {
        if (status.state() != HostState.UP) {
            begin();
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> asked = upgrading;
        if (asked == null) {
            asked = new CompletableFuture<>();
            upgrading = asked;
            setup.begin();
        }
        return asked;
    }

    /** What is to be said of the host. */
    CompletionStage<List<Finding>> check() {
        if (!loggedIn) {
            String reason = status.reason() == null ? "not connected yet" : status.reason();
            return CompletableFuture.completedFuture(
                    List.of(new Finding("ssh", FindingStatus.FAIL, reason, status.mend())));
        }
        return (settings().tunnelOnly() ? TunnelNeeds.ask(setup, ssh) : setup.check()).thenApply(findings -> {
            List<Finding> all = new ArrayList<>();
            all.add(new Finding(
                    "ssh", FindingStatus.OK, "connected to " + settings().ssh(), null));
            all.addAll(findings);
            return all;
        });
    }
}
