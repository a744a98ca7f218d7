package brig.gateway.host;

import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.gateway.worker.ControlLink;
import brig.gateway.worker.Reach;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.api.HostSettings;
import brig.protocol.api.HostState;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to one host: an {@code ssh} that logs in once, a worker-agent started there, and its socket forwarded to a file
 * here. Whatever ends it, it begins anew from the top, with a new epoch. Sessions there do not notice more than a pause.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decision 0159.
 */
public final class HostLink implements Reach, ControlLink.Listener {
    private static final Logger log = LoggerFactory.getLogger(HostLink.class);

    static final long RETRY_MS_MIN = 1_000;
    static final long RETRY_MS_MAX = 30_000;
    /** Where only a person helps: often enough to notice it, and no reason to lock an account. */
    static final long RETRY_PERSON_MS = 300_000;
    /** How long a link holds before it counts as one, and the next back-off begins small. */
    static final long STEADY_MS = 60_000;

    static final long LOOK_FOR_MASTER_MS = 250;
    static final long CONNECT_MS = 60_000;
    /** How often a master that is not ours is asked whether it is there. */
    static final long WATCH_MS = 3_000;

    static final long STEP_MS = 10_000;
    static final long START_MS = 60_000;
    /** How long an upload may stand still. */
    static final long STALL_MS = 120_000;
    /** Connections that end unanswered before forwarding counts as forbidden. */
    static final int MISSES_MAX = 3;
    /** sshd's MaxSessions is 10; one is for commands, one to spare. */
    static final int JOINED_MAX = 8;

    /** What links share. */
    record Services(
            Processes processes,
            LocalSockets sockets,
            Payload payload,
            Timers timers,
            Clock clock,
            Epochs epochs,
            Agents agents,
            String gatewayId) {}

    /** Numbers links. */
    interface Epochs {
        /** A number that is greater than all before, also of earlier gateways; it is kept when this completes. */
        CompletionStage<Long> next(String host);
    }

    /** Opens control links. */
    public interface Agents {
        /** A control link to that socket, which listens to {@code reach}. */
        Agent open(Path socket, Reach reach, ControlLink.Listener listener);
    }

    /**
     * A worker-agent behind its control link.
     *
     * @param dropper ends the connection; another attempt follows
     * @param closer ends it for good
     */
    public record Agent(WorkerAgent agent, Runnable dropper, Runnable closer) {}

    private final String name;
    private final HostSettings settings;
    private final SshCommands ssh;
    private final Services services;
    private final Hosts.Listener listener;
    private final Steps steps;
    private final Agent agent;

    private LinkStatus status;
    /** Counts attempts, so that what belongs to an earlier one is not heard. */
    private int attempt;

    private int failures;
    private long epoch;
    private Processes.@Nullable Running master;
    private Timers.@Nullable Timer timer;
    private Timers.@Nullable Timer watch;
    private @Nullable String payloadName;
    private @Nullable Preflight preflight;
    private @Nullable String remoteSocket;
    private @Nullable String forwarded;
    private LocalSockets.@Nullable Joint joint;
    private @Nullable String version;
    private List<Finding> faults = List.of();
    private boolean hasMaster;
    private boolean open;
    private boolean reaching;
    /** The instance that the control link is connected to; null for none. */
    private @Nullable String connected;

    private int misses;
    private boolean closed;
    private @Nullable CompletableFuture<Void> upgrading;

    HostLink(String name, HostSettings settings, SshCommands ssh, Services services, Hosts.Listener listener) {
        this.name = name;
        this.settings = settings;
        this.ssh = ssh;
        this.services = services;
        this.listener = listener;
        steps = new Steps(services.processes(), services.timers());
        status = LinkStatus.of(HostState.CONNECTING, services.clock().nowMs());
        agent = services.agents().open(ssh.socket(), this, this);
    }

    WorkerAgent agent() {
        return agent.agent();
    }

    HostSettings settings() {
        return settings;
    }

    LinkStatus status() {
        return status;
    }

    /** The payload that its worker-agent runs from; null if that is not known. */
    @Nullable
    String version() {
        return version;
    }

    /** As many workers as it can hold, whatever the settings say; 0 for no limit. */
    int workersMax() {
        // One connection is for control.
        int here = joint == null ? 0 : JOINED_MAX - 1;
        int chosen = settings.workersMax();
        return here == 0 ? chosen : chosen == 0 ? here : Math.min(here, chosen);
    }

    @Override
    public boolean isUp() {
        return open;
    }

    @Override
    public @Nullable Long epoch() {
        return epoch;
    }

    private void become(LinkStatus next) {
        if (next.state() != status.state()) {
            log.info("host {} {} -> {}{}", name, status.state(), next.state(), next.reason() == null ? "" : ": " + next.reason());
        }
        status = next;
    }

    /** Shows a step, unless the link is up all the while. */
    private void progress(HostState state, @Nullable Integer percent) {
        if (upgrading != null && status.state() == HostState.UP) {
            become(status.withPercent(percent));
        } else if (status.state() == state) {
            become(status.withPercent(percent));
        } else {
            become(LinkStatus.of(state, services.clock().nowMs()).withPercent(percent));
        }
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

    /** Connects, and keeps the link up until {@link #close}. */
    void begin() {
        if (closed) {
            return;
        }
        endAttempt(LinkStatus.of(HostState.CONNECTING, services.clock().nowMs()));
        int mine = attempt;
        services.epochs().next(name).whenComplete((next, failure) -> {
            if (mine != attempt) {
                return;
            }
            if (failure != null) {
                fail(new SshFailure("the state folder takes no writes: " + words(failure), "make room there", false));
                return;
            }
            epoch = next;
            if (ssh.usesOwnMaster()) {
                run("the end of an old ssh", ssh.exit(), STEP_MS, ended -> startMaster());
            } else {
                hasMaster = true;
                lookForMaster(services.clock().nowMs());
            }
        });
    }

    private void startMaster() {
        int mine = attempt;
        master = services.processes().start(ssh.master(), null, ended -> {
            if (mine == attempt) {
                master = null;
                hasMaster = false;
                fail(SshFailure.of(ended, name, settings));
            }
        });
        hasMaster = true;
        lookForMaster(services.clock().nowMs() + CONNECT_MS);
    }

    private void lookForMaster(long untilMs) {
        run("the question for ssh", ssh.check(), STEP_MS, ended -> {
            if (ended.code() == 0) {
                watchMaster();
                inspect();
            } else if (!ssh.usesOwnMaster()) {
                fail(noMaster());
            } else if (services.clock().nowMs() >= untilMs) {
                fail(SshFailure.late("the login"));
            } else {
                later(LOOK_FOR_MASTER_MS, () -> lookForMaster(untilMs));
            }
        });
    }

    private SshFailure noMaster() {
        return new SshFailure(
                "no ssh listens at its controlPath",
                "start it: ssh -M -S PATH -N -o ServerAliveInterval=5 " + settings.ssh(),
                false);
    }

    /** The end of a master that is not ours is told by nobody. */
    private void watchMaster() {
        if (ssh.usesOwnMaster()) {
            return;
        }
        int mine = attempt;
        watch = services.timers().after(WATCH_MS, () -> {
            Steps asking = new Steps(services.processes(), services.timers());
            asking.run(
                    new Steps.Step("the question for ssh", ssh.check(), STEP_MS),
                    ended -> {
                        if (mine == attempt && ended.code() == 0) {
                            watchMaster();
                        } else if (mine == attempt) {
                            fail(noMaster());
                        }
                    },
                    late -> {
                        if (mine == attempt) {
                            fail(late);
                        }
                    });
        });
    }

    private void run(String what, List<String> command, long deadlineMs, Consumer<Processes.Ended> then) {
        steps.run(new Steps.Step(what, command, deadlineMs), then, this::failStep);
    }

    /** Asks what is there. From here on everything is done again by an upgrade, too. */
    private void inspect() {
        int mine = attempt;
        services.payload().name().whenComplete((payload, failure) -> {
            if (mine != attempt) {
                return;
            }
            if (failure != null) {
                failStep(new SshFailure(words(failure), "see the gateway's log", true));
                return;
            }
            payloadName = payload;
            run(
                    "the look at the host",
                    ssh.remote("sh", "-c", RemoteScripts.PREFLIGHT, "brig", payload),
                    STEP_MS * 3,
                    ended -> handleInspected(ended, payload));
        });
    }

    private void handleInspected(Processes.Ended ended, String payload) {
        Preflight found = Preflight.of(ended.out(), payload);
        if (found == null) {
            failStep(unexpected("the look at the host", ended));
            return;
        }
        preflight = found;
        List<Finding> wrong = found.faults(services.payload().machine());
        if (!wrong.isEmpty()) {
            becomeUnfit(wrong);
        } else if (found.hasPayload()) {
            start(found, payload);
        } else {
            deploy(found, payload);
        }
    }

    private static SshFailure unexpected(String step, Processes.Ended ended) {
        String said = ended.errors().shown().isEmpty()
                ? ended.out().shown()
                : ended.errors().shown();
        return new SshFailure(
                step + " ended with " + ended.code() + (said.isEmpty() ? ", without a word" : ": " + said),
                "the host's login shell must run sh, and write nothing of its own after a failure",
                false);
    }

    private void deploy(Preflight found, String payload) {
        progress(HostState.DEPLOYING, 0);
        int mine = attempt;
        services.payload().archive().whenComplete((archive, failure) -> {
            if (mine != attempt) {
                return;
            }
            if (failure != null) {
                failStep(new SshFailure(words(failure), "see the gateway's log", true));
                return;
            }
            long bytes = Math.max(1, archive.bytes());
            steps.run(
                    new Steps.Step(
                            "the upload",
                            ssh.remote("sh", "-c", RemoteScripts.DEPLOY, "brig", payload, Ids.newEpoch()),
                            STALL_MS),
                    archive.file(),
                    sent -> progress(HostState.DEPLOYING, (int) Math.min(99, sent * 100 / bytes)),
                    ended -> {
                        if (ended.out().lines().contains("brig-deployed " + payload)) {
                            start(found, payload);
                        } else {
                            failStep(unexpected("the upload", ended));
                        }
                    },
                    this::failStep);
        });
    }

    private void start(Preflight found, String payload) {
        progress(HostState.STARTING, null);
        List<String> words = new ArrayList<>(List.of(program(found, payload), "start", "--gateway-id", services.gatewayId()));
        if (settings.idleExitMinutes() > 0) {
            words.addAll(List.of("--idle-exit-s", String.valueOf(settings.idleExitMinutes() * 60L)));
        }
        if (settings.workersMax() > 0) {
            words.addAll(List.of("--workers-max", String.valueOf(settings.workersMax())));
        }
        run("the start of the worker-agent there", ssh.remote(words.toArray(String[]::new)), START_MS, ended -> {
            StartAnswer answer = StartAnswer.of(ended.out());
            if (answer == null) {
                failStep(unexpected("brig-host start", ended));
            } else if (answer.socket() == null) {
                findFaults(found, payload, answer.refusal());
            } else {
                version = answer.shownVersion();
                remoteSocket = answer.socket();
                forward(answer.socket());
            }
        });
    }

    private static String program(Preflight found, String payload) {
        return found.home() + "/.brig/versions/" + payload + "/bin/brig-host";
    }

    /** It does not start: the host's own checks say more. */
    private void findFaults(Preflight found, String payload, Finding refusal) {
        run("the check of the host", ssh.remote(program(found, payload), "check"), START_MS, ended -> {
            List<Finding> all = new ArrayList<>(List.of(refusal));
            all.addAll(StartAnswer.findings(ended.out()));
            becomeUnfit(all);
        });
    }

    private void becomeUnfit(List<Finding> findings) {
        faults = findings;
        Finding first = findings.stream()
                .filter(one -> one.status() == FindingStatus.FAIL)
                .findFirst()
                .orElse(findings.getFirst());
        String reason = first.name() + ": " + first.detail();
        if (failUpgrade(ErrorCode.HOST_UNFIT, reason)) {
            return;
        }
        long nowMs = services.clock().nowMs();
        shut(LinkStatus.of(HostState.UNFIT, nowMs)
                .because(reason, first.mend())
                .retryingAt(nowMs + RETRY_PERSON_MS));
        later(RETRY_PERSON_MS, this::inspectAgain);
    }

    private void inspectAgain() {
        progress(HostState.STARTING, null);
        inspect();
    }

    private void forward(String socket) {
        if (joint != null || socket.equals(forwarded)) {
            reach();
            return;
        }
        if (forwarded != null) {
            run("the end of the old forwarding", ssh.cancel(forwarded), STEP_MS, ended -> clearThen(() -> forwardNow(socket)));
        } else {
            clearThen(() -> forwardNow(socket));
        }
    }

    private void clearThen(Runnable then) {
        int mine = attempt;
        services.sockets().clear(ssh.socket()).whenComplete((cleared, failure) -> {
            if (mine == attempt) {
                then.run();
            }
        });
    }

    private void forwardNow(String socket) {
        forwarded = null;
        run("the forwarding of its socket", ssh.forward(socket), STEP_MS, ended -> {
            if (ended.code() == 0) {
                forwarded = socket;
                reach();
            } else {
                join(socket);
            }
        });
    }

    /** Lets the control link connect; how that goes says whether the forwarding works. */
    private void reach() {
        steps.stop();
        faults = List.of();
        if (status.state() == HostState.UP) {
            finishUpgrade();
            return;
        }
        open = true;
        reaching = true;
        misses = 0;
        later(STEP_MS * 2, this::handleMissed);
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
            failStep(new SshFailure(
                    "the worker-agent there does not answer",
                    "see worker-agent.log below ~/.brig/gateways on the host",
                    false));
        }
    }

    /** Where sshd forbids the forwarding: a program on the host for each connection, all over the same login. */
    private void join(String socket) {
        Preflight found = preflight;
        String payload = payloadName;
        if (found == null || payload == null) {
            throw new IllegalStateException("a socket is joined on a host that was looked at");
        }
        String old = forwarded == null ? socket : forwarded;
        forwarded = null;
        log.warn("host {}: its socket cannot be forwarded; a program there is run for each connection", name);
        run("the end of the forwarding", ssh.cancel(old), STEP_MS, ended -> clearThen(() -> {
            int mine = attempt;
            List<String> dial = ssh.remote(program(found, payload), "dial", socket);
            services.sockets().join(ssh.socket(), dial, JOINED_MAX).whenComplete((made, failure) -> {
                if (mine != attempt) {
                    if (made != null) {
                        made.close();
                    }
                } else if (failure != null) {
                    failStep(new SshFailure(words(failure), "choose another runtimeDir", true));
                } else {
                    joint = made;
                    reach();
                }
            });
        }));
    }

    @Override
    public void handleUp(String instance) {
        connected = instance;
        if (closed || !open) {
            return;
        }
        boolean again = status.state() == HostState.UP;
        reaching = false;
        faults = List.of();
        LinkStatus up = again ? status : LinkStatus.of(HostState.UP, services.clock().nowMs());
        become(
                joint == null
                        ? up
                        : up.because(
                                "its sshd forbids the forwarding of sockets, so it has at most " + (JOINED_MAX - 1) + " workers",
                                "AllowStreamLocalForwarding yes in sshd_config there"));
        later(STEADY_MS, () -> failures = 0);
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
        shut(LinkStatus.of(HostState.STARTING, services.clock().nowMs()).because("its worker-agent ended", null));
        Preflight found = preflight;
        String payload = payloadName;
        // An upgrade is about to start it anyway.
        if (upgrading == null && found != null && payload != null) {
            later(LOOK_FOR_MASTER_MS, () -> start(found, payload));
        }
    }

    @Override
    public void handleUntrusted(BrigException why) {
        fail(new SshFailure(why.getMessage(), "find out who listens there, or choose another runtimeDir", true));
    }

    @Override
    public void handleRecordLost(BrigException why) {
        log.error("host {}: {}", name, why.getMessage());
    }

    private void failStep(SshFailure failure) {
        if (!failUpgrade(ErrorCode.WORKER_AGENT_UNAVAILABLE, failure.reason() + "; " + failure.mend())) {
            fail(failure);
        }
    }

    /** Whether that failed an upgrade alone: what ran goes on. */
    private boolean failUpgrade(ErrorCode code, String why) {
        CompletableFuture<Void> asked = upgrading;
        upgrading = null;
        if (asked == null) {
            return false;
        }
        steps.stop();
        asked.completeExceptionally(new BrigException(code, "host " + name + ": " + why));
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

    private void fail(SshFailure failure) {
        if (closed) {
            return;
        }
        failures++;
        long delayMs = failure.needsPerson()
                ? RETRY_PERSON_MS
                : Math.min(RETRY_MS_MAX, RETRY_MS_MIN << Math.min(failures - 1, 10));
        long nowMs = services.clock().nowMs();
        endAttempt(LinkStatus.of(HostState.DOWN, nowMs)
                .because(failure.reason(), failure.mend())
                .retryingAt(nowMs + delayMs));
        later(delayMs, this::begin);
    }

    /** Shuts the gate. @param next what the link is from now on */
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
        failUpgrade(ErrorCode.WORKER_AGENT_UNAVAILABLE, "the link ended");
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
        hasMaster = false;
    }

    /** Ends the link for good. What runs there goes on. */
    void close() {
        endAttempt(LinkStatus.of(HostState.DOWN, services.clock().nowMs()));
        closed = true;
        agent.closer().run();
    }

    /** Brings the payload of now there and starts it, without an end of the link; one that is down begins at once. */
    CompletionStage<Void> upgrade() {
        if (status.state() != HostState.UP) {
            begin();
            return CompletableFuture.completedFuture(null);
        }
        if (upgrading == null) {
            CompletableFuture<Void> asked = new CompletableFuture<>();
            upgrading = asked;
            inspect();
            return asked;
        }
        return upgrading;
    }

    /** What is to be said of the host. */
    CompletionStage<List<Finding>> check() {
        Preflight found = preflight;
        String payload = payloadName;
        boolean reached = hasMaster && status.state() != HostState.CONNECTING;
        List<Finding> findings = new ArrayList<>();
        String reason = status.reason();
        findings.add(
                reached
                        ? new Finding("ssh", FindingStatus.OK, "connected to " + settings.ssh(), null)
                        : new Finding(
                                "ssh",
                                FindingStatus.FAIL,
                                reason == null ? "not connected yet" : reason,
                                status.mend()));
        boolean deployed = reached && found != null && payload != null && version != null;
        if (!deployed) {
            findings.addAll(faults);
            return CompletableFuture.completedFuture(findings);
        }
        CompletableFuture<List<Finding>> answer = new CompletableFuture<>();
        new Steps(services.processes(), services.timers())
                .run(
                        new Steps.Step("the check of the host", ssh.remote(program(found, payload), "check"), START_MS),
                        ended -> {
                            findings.addAll(StartAnswer.findings(ended.out()));
                            answer.complete(findings);
                        },
                        late -> {
                            findings.add(new Finding("check", FindingStatus.FAIL, late.reason(), late.mend()));
                            answer.complete(findings);
                        });
        return answer;
    }

    private static String words(Throwable failure) {
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
        return String.valueOf(cause.getMessage());
    }
}
