package brig.workeragent.worker;

import brig.egress.policy.HostPattern;
import brig.egress.policy.HostPort;
import brig.formats.adapter.Asks.Request;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.EgressDecision;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The asks of one worker for hosts. brig-egress holds the requests; all of them for one host and port are one ask, which
 * stays open when brig-egress dies. Each ask and its end are told as {@code egress} frames too. Thread-safe; never
 * blocks.
 *
 * <p>Decision 0153.
 */
final class EgressAsks implements EgressSessions.Listener {
    private static final Frame.Ask.Option ALLOW = option(EgressDecision.ALLOW, "Allow for the session", null);
    private static final Frame.Ask.Option DENY = option(EgressDecision.DENY, "Deny", null);
    private static final List<Frame.Ask.Option> OPTIONS = List.of(
            option(EgressDecision.ONCE, "Allow this request", null),
            ALLOW,
            option(EgressDecision.SAVE, "Allow, also in the policy", "For admins: it holds for all sessions."),
            DENY);
    private static final Pattern METHOD = Pattern.compile("[A-Za-z-]{1,32}");

    private final OpenAsks asks;
    private final EgressFrames frames;
    private final SpendAsks spending;
    private final @Nullable LoginAsks logins;
    private final BiConsumer<HostPort, String> refusal;
    /** Keeps the {@code egress} frames of an ask in order. */
    private final ReentrantLock order = new ReentrantLock();

    /**
     * @param logins null if nobody is asked about logins
     * @param refusal refuses the requests that wait for a host, with the rule that they are told; does not block
     */
    EgressAsks(
            OpenAsks asks,
            EgressFrames frames,
            SpendAsks spending,
            @Nullable LoginAsks logins,
            BiConsumer<HostPort, String> refusal) {
        this.asks = asks;
        this.spending = spending;
        this.logins = logins;
        this.frames = frames;
        this.refusal = refusal;
    }

    private static Frame.Ask.Option option(EgressDecision decision, String name, @Nullable String description) {
        return new Frame.Ask.Option(decision.name().toLowerCase(Locale.ROOT), name, description);
    }

    /** The decision that an option stands for. */
    static EgressDecision decision(String option) {
        return EgressDecision.valueOf(option.toUpperCase(Locale.ROOT));
    }

    /** The place that an ask is about. */
    private static @Nullable HostPort place(Frame.Ask ask) {
        String text = ask.nativeId();
        return ask.kind() == Frame.Ask.Kind.EGRESS && text != null ? HostPort.parse(text, 0) : null;
    }

    /** @throws BrigException {@code FORBIDDEN} */
    static void requireMay(Frame.Ask ask, AnswerChoice choice) {
        boolean saves =
                choice.option() != null && place(ask) != null && decision(choice.option()) == EgressDecision.SAVE;
        if (saves && !choice.admin()) {
            throw new BrigException(ErrorCode.FORBIDDEN, "a policy is not of one session: only an admin changes it");
        }
    }

    @Override
    public void handleEvent(EgressEvent event) {
        switch (event) {
            case EgressEvent.Ask ask -> handleAsk(ask);
            case EgressEvent.Answered answered -> handleAnswered(answered);
            case EgressEvent.Budget use -> spending.handle(use);
            case EgressEvent.Decided _,
                    EgressEvent.ThrottledByProvider _,
                    EgressEvent.ProviderResumed _,
                    EgressEvent.ProjectFile _,
                    EgressEvent.Noted _ -> frames.handle(event);
        }
    }

    private void handleAsk(EgressEvent.Ask event) {
        HostPort at = new HostPort(event.host(), event.port());
        if (!at.equals(HostPort.parse(at.toString(), 0))) {
            refusal.accept(at, event.rule());
            return;
        }
        OpenAsks.Listener listener = (answered, waits) -> handleSettled(event, answered, waits);
        OpenAsks.Taken taken;
        order.lock();
        try {
            taken = asks.openNow(request(event, at), event.deadlineMs(), listener);
            if (taken == OpenAsks.Taken.OPENED) {
                frames.handle(event);
            }
        } finally {
            order.unlock();
        }
        if (taken == OpenAsks.Taken.REFUSED) {
            refusal.accept(at, event.rule() + ", and too much waits for an answer already");
        }
    }

    private static Request request(EgressEvent.Ask event, HostPort at) {
        String method = METHOD.matcher(event.method()).matches() ? event.method() : "?";
        return new Request(
                Frame.Ask.Kind.EGRESS,
                null,
                at.toString(),
                null,
                method + " " + at,
                JsonObject.EMPTY
                        .with("host", event.host())
                        .with("port", (long) event.port())
                        .with("method", method)
                        .with("rule", event.rule()),
                OPTIONS,
                false,
                DENY.id());
    }

    /** No request waits any more, although nobody answered: the policy decides now, or who asked is gone. */
    private void handleAnswered(EgressEvent.Answered event) {
        HostPort at = new HostPort(event.host(), event.port());
        for (Frame.Ask ask : asks.list()) {
            if (at.equals(place(ask))) {
                Frame.Answered answered = event.allowed()
                        ? new Frame.Answered(ask.askId(), ALLOW.id(), Frame.Answered.Reason.POLICY)
                        : new Frame.Answered(ask.askId(), null, Frame.Answered.Reason.WITHDRAWN);
                settle(ask, answered, event);
            }
        }
    }

    private void settle(Frame.Ask ask, Frame.Answered answered, EgressEvent.Answered event) {
        if (asks.settle(ask.askId(), answered)) {
            tell(event);
        }
    }

    @Override
    public EgressSessions.@Nullable LoginAsker logins() {
        return logins;
    }

    @Override
    public void handleFault(BrigException fault) {
        frames.fault(fault);
    }

    @Override
    public void handleDecided(HostPattern hosts, EgressDecision decision, EgressSessions.Person person) {
        for (Frame.Ask ask : asks.list()) {
            HostPort at = place(ask);
            if (at != null && hosts.matches(at.host(), at.port())) {
                Frame.Answered answered = new Frame.Answered(
                        ask.askId(),
                        decision.name().toLowerCase(Locale.ROOT),
                        null,
                        person.by(),
                        person.via(),
                        Frame.Answered.Reason.PERSON);
                settle(ask, answered, told(at, decision));
                if (decision == EgressDecision.ONCE) {
                    return;
                }
            }
        }
    }

    /** The queue settled an ask. An answer of a person is carried out by whoever passed it on. */
    private void handleSettled(EgressEvent.Ask event, Frame.Answered answered, boolean waits) {
        HostPort at = new HostPort(event.host(), event.port());
        if (answered.reason() == Frame.Answered.Reason.PERSON && answered.option() != null) {
            tell(told(at, decision(answered.option())));
            return;
        }
        String rule = answered.reason() == Frame.Answered.Reason.DEADLINE
                ? event.rule() + ", and nobody allowed it in time"
                : "the agent ended, or its turn was cancelled";
        tell(new EgressEvent.Answered(at.host(), at.port(), false, rule));
        if (waits) {
            refusal.accept(at, rule);
        }
    }

    private static EgressEvent.Answered told(HostPort at, EgressDecision decision) {
        return switch (decision) {
            case ONCE -> new EgressEvent.Answered(at.host(), at.port(), true, "a person allowed it once");
            case ALLOW, SAVE -> new EgressEvent.Answered(at.host(), at.port(), true, "a person allowed it");
            case DENY, REVOKE -> new EgressEvent.Answered(at.host(), at.port(), false, "a person refused it");
        };
    }

    private void tell(EgressEvent.Answered event) {
        order.lock();
        try {
            frames.handle(event);
        } finally {
            order.unlock();
        }
    }
}
