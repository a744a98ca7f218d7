package brig.gateway.deploy;

import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Reason;
import brig.protocol.api.HostState;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done on a host over a login that is there: look at it, bring the payload, let the host check itself, start the
 * worker-agent. Nothing of a host is believed: what it says is bounded, and only its form is relied upon.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decision 0159.
 */
public final class RemoteSetup {
    private static final Logger log = LoggerFactory.getLogger(RemoteSetup.class);

    public static final long LOOK_MS = 30_000;
    public static final long CHECK_MS = 60_000;
    /** It may wait for another start, and for the end of an older worker-agent. */
    public static final long START_MS = 300_000;
    /** How long an upload may stand still. */
    public static final long STALL_MS = 120_000;

    private static final String CHECKING = "the check of the host";

    /** How a program there is run. */
    @FunctionalInterface
    public interface Commands {
        /** The command for {@link Processes} that runs it. Each word is one argument there, whatever its characters. */
        List<String> remote(String... words);
    }

    /**
     * What setups share.
     *
     * @param gatewayId by which a worker-agent there knows whose it is
     */
    public record Services(Processes processes, Payload payload, Timers timers, String gatewayId) {}

    /**
     * How the worker-agent is started.
     *
     * @param further arguments of {@code brig-host start}
     * @param input what it reads; null for nothing
     */
    public record Start(List<String> further, Processes.@Nullable Input input) {}

    /** Who is told how it goes. */
    public interface Outcome {
        void handleProgress(HostState state, @Nullable Integer percent);

        void handleStarted(String socket);

        /** It may go better later. */
        void handleFailure(LinkFailure failure);

        /** Something on the host must change. */
        void handleUnfit(List<Finding> findings);
    }

    /** A host that was looked at. */
    private record Place(Preflight found, String payload) {
        String program() {
            return found.home() + "/.brig/versions/" + payload + "/bin/brig-host";
        }
    }

    private final Commands there;
    private final Start start;
    private final Services services;
    private final Steps steps;
    private final Outcome outcome;
    /** Counts runs, so that what belongs to an earlier one is not heard. */
    private int run;

    private @Nullable Place place;
    private @Nullable String version;
    private List<Finding> faults = List.of();
    /** Whether the host must pass its own checks first: it is new, has another payload, or was unfit. */
    private boolean isSuspect;

    public RemoteSetup(Commands there, Start start, Services services, Outcome outcome) {
        this.there = there;
        this.start = start;
        this.services = services;
        this.outcome = outcome;
        steps = new Steps(services.processes(), services.timers());
    }

    /** Stops what is being done; nobody is told. */
    public void stop() {
        run++;
        steps.stop();
    }

    /** The payload that the worker-agent there runs from; null if that is not known. */
    public @Nullable String version() {
        return version;
    }

    /** The host must pass its own checks before anything is started there. */
    public void requireProof() {
        isSuspect = true;
    }

    /** It answers: it is fit. */
    public void handleUp() {
        faults = List.of();
    }

    /** The far end of a joint. */
    public List<String> join(String socket) {
        return place == null ? List.of("false") : there.remote(place.program(), "join", socket);
    }

    /** Does all of it, from the top. */
    public void begin() {
        stop();
        int mine = run;
        services.payload().name().whenComplete((payload, failure) -> {
            if (mine != run) {
                return;
            }
            if (failure != null) {
                outcome.handleFailure(ours(failure));
                return;
            }
            step(
                    "the look at the host",
                    LOOK_MS,
                    there.remote("sh", "-c", RemoteScripts.PREFLIGHT, "brig", payload),
                    ended -> handleSeen(ended, payload));
        });
    }

    private void step(String what, long deadlineMs, List<String> command, Consumer<Processes.Ended> then) {
        steps.run(new Steps.Step(what, command, deadlineMs), then, outcome::handleFailure);
    }

    private static LinkFailure ours(Throwable failure) {
        return new LinkFailure(words(failure), "see the gateway's log", true);
    }

    public static String words(Throwable failure) {
        return String.valueOf(Reason.cause(failure).getMessage());
    }

    private static LinkFailure unexpected(String step, Processes.Ended ended) {
        String said = ended.errors().shown().isEmpty()
                ? ended.out().shown()
                : ended.errors().shown();
        return new LinkFailure(
                step + " ended with " + ended.code() + (said.isEmpty() ? ", without a word" : ": " + said),
                "the login shell there must run sh; try by hand: ssh TARGET 'sh -c true'",
                false);
    }

    private void handleSeen(Processes.Ended ended, String payload) {
        Preflight found = Preflight.of(ended.out(), payload);
        if (found == null) {
            outcome.handleFailure(unexpected("the look at the host", ended));
            return;
        }
        Place here = new Place(found, payload);
        place = here;
        List<Finding> wrong = found.faults(services.payload().machine());
        if (!wrong.isEmpty()) {
            becomeUnfit(wrong);
        } else if (!found.hasPayload()) {
            bring(here);
        } else if (isSuspect) {
            prove(here);
        } else {
            start(here);
        }
    }

    private void bring(Place here) {
        outcome.handleProgress(HostState.DEPLOYING, 0);
        int mine = run;
        services.payload().archive().whenComplete((archive, failure) -> {
            if (mine != run) {
                return;
            }
            if (failure != null) {
                outcome.handleFailure(ours(failure));
                return;
            }
            long bytes = Math.max(1, archive.bytes());
            List<String> command =
                    there.remote("sh", "-c", RemoteScripts.DEPLOY, "brig", here.payload(), Ids.newEpoch());
            steps.run(
                    new Steps.Step("the upload", command, STALL_MS),
                    new Processes.Input.OfFile(archive.file()),
                    sent -> outcome.handleProgress(HostState.DEPLOYING, (int) Math.min(99, sent * 100 / bytes)),
                    ended -> handleBrought(ended, here),
                    outcome::handleFailure);
        });
    }

    private void handleBrought(Processes.Ended ended, Place here) {
        if (ended.out().lines().contains("brig-deployed " + here.payload())) {
            isSuspect = true;
            List<Finding> findings = StartAnswer.findings(ended.out());
            if (findings.isEmpty()) {
                prove(here);
            } else {
                handleFindings(findings, here);
            }
        } else {
            outcome.handleFailure(unexpected("the upload", ended));
        }
    }

    /** Where sessions may run already this is not done: what the host lacks ends none of them. */
    private void prove(Place here) {
        outcome.handleProgress(HostState.STARTING, null);
        step(CHECKING, CHECK_MS, there.remote(here.program(), "check"), ended -> {
            List<Finding> findings = StartAnswer.findings(ended.out());
            if (findings.isEmpty()) {
                outcome.handleFailure(unexpected(CHECKING, ended));
            } else {
                handleFindings(findings, here);
            }
        });
    }

    private void handleFindings(List<Finding> findings, Place here) {
        if (hasFault(findings)) {
            becomeUnfit(findings);
        } else {
            isSuspect = false;
            start(here);
        }
    }

    private static boolean hasFault(List<Finding> findings) {
        return findings.stream().anyMatch(one -> one.status() == FindingStatus.FAIL);
    }

    private void start(Place here) {
        outcome.handleProgress(HostState.STARTING, null);
        List<String> words = new ArrayList<>(List.of(here.program(), "start", "--gateway-id", services.gatewayId()));
        words.addAll(start.further());
        List<String> command = there.remote(words.toArray(String[]::new));
        steps.run(
                new Steps.Step("the start of the worker-agent there", command, START_MS),
                start.input(),
                sent -> {},
                ended -> handleStarted(ended, here),
                outcome::handleFailure);
    }

    private void handleStarted(Processes.Ended ended, Place here) {
        StartAnswer answer = StartAnswer.of(ended.out());
        if (answer == null) {
            outcome.handleFailure(unexpected("brig-host start", ended));
        } else if (answer.socket() == null) {
            findFaults(here, answer);
        } else {
            version = answer.shownVersion();
            sweep(here);
            outcome.handleStarted(answer.socket());
        }
    }

    /** It does not start: the host's own checks may say why. */
    private void findFaults(Place here, StartAnswer answer) {
        step(CHECKING, CHECK_MS, there.remote(here.program(), "check"), ended -> {
            List<Finding> findings = StartAnswer.findings(ended.out());
            Finding refusal = answer.refusal();
            if (answer.isTransient() && !hasFault(findings)) {
                String mend = refusal.mend();
                outcome.handleFailure(new LinkFailure(refusal.detail(), mend == null ? "try again" : mend, false));
                return;
            }
            List<Finding> all = new ArrayList<>(List.of(refusal));
            all.addAll(findings);
            becomeUnfit(all);
        });
    }

    private void becomeUnfit(List<Finding> findings) {
        faults = findings;
        isSuspect = true;
        outcome.handleUnfit(findings);
    }

    /** Removes payloads that nobody uses; how that goes matters to nobody. */
    private void sweep(Place here) {
        new Steps(services.processes(), services.timers())
                .run(
                        new Steps.Step("the sweep", there.remote(here.program(), "sweep"), CHECK_MS),
                        ended -> log.debug("sweep: {}", ended.out().shown()),
                        late -> log.debug("sweep: {}", late.reason()));
    }

    /** What the host says of itself now, beside other steps; what was found before if it cannot be asked. */
    public CompletionStage<List<Finding>> check() {
        Place here = place;
        if (here == null || version == null) {
            return CompletableFuture.completedFuture(faults);
        }
        return ask(there.remote(here.program(), "check"))
                .thenApply(ended -> StartAnswer.findings(ended.out()))
                .exceptionally(RemoteSetup::unanswered);
    }

    /** Runs a command beside other steps; fails at its deadline. */
    public CompletionStage<Processes.Ended> ask(List<String> command) {
        CompletableFuture<Processes.Ended> answer = new CompletableFuture<>();
        new Steps(services.processes(), services.timers())
                .run(
                        new Steps.Step(CHECKING, command, CHECK_MS),
                        answer::complete,
                        late -> answer.completeExceptionally(
                                new BrigException(ErrorCode.HOST_UNREACHABLE, late.reason())));
        return answer;
    }

    /** What is to be said where nobody answers. */
    public static List<Finding> unanswered(Throwable failure) {
        return List.of(new Finding("check", FindingStatus.FAIL, words(failure), null));
    }
}
