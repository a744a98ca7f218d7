package brig.egress.proxy;

import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPattern;
import brig.egress.policy.HostPolicy;
import brig.egress.policy.HostPort;
import brig.egress.policy.Verdict;
import brig.protocol.egress.EgressEvent;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What one worker may reach: its policy and the decisions of people. State owned by the worker's event loop. */
final class Decisions {
    private static final int ONCE_MAX = 1024;
    private static final Verdict ONCE = new Verdict(true, "a person allowed it once", false);
    private static final Verdict OVER = new Verdict(false, "the process that asked ended", false);

    private final Consumer<EgressEvent> events;
    private final Asks asks;
    private final List<String> allowedMeanwhile;
    private final List<HostPattern> allowedOnce = new ArrayList<>();
    private HostPolicy policy;

    /**
     * @param allowed hosts that a person allowed since the policy was written
     * @param events receives events for people; never blocks
     */
    Decisions(EventLoop loop, EgressPolicy policy, List<String> allowed, Consumer<EgressEvent> events) {
        this.events = events;
        this.allowedMeanwhile = new ArrayList<>(allowed);
        this.policy = new HostPolicy(policy, allowedMeanwhile);
        this.asks = new Asks(loop, this::tellAnswered);
    }

    HostPolicy policy() {
        return policy;
    }

    /**
     * Judges a request; the verdict may come later, from a person.
     *
     * @param verdict the policy's verdict
     */
    void decide(HostPort at, String method, Verdict verdict, Consumer<Verdict> answer) {
        if (verdict.allowed() || !verdict.askable()) {
            answer.accept(verdict);
        } else if (takeOnce(at)) {
            answer.accept(ONCE);
        } else {
            // What an agent asks for by habit is refused at once: nobody waits for it, and nobody is to be disturbed.
            int askMs =
                    policy.isQuiet(at.host(), at.port()) ? 0 : policy.policy().askMs();
            boolean waits = askMs > 0
                    && asks.add(
                            at,
                            new Verdict(false, verdict.rule() + ", and nobody allowed it in time", true),
                            askMs,
                            answer,
                            leftMs -> events.accept(
                                    new EgressEvent.Ask(at.host(), at.port(), method, verdict.rule(), leftMs)));
            if (!waits) {
                answer.accept(verdict);
            }
        }
    }

    private boolean takeOnce(HostPort at) {
        HostPattern found = allowedOnce.stream()
                .filter(pattern -> pattern.matches(at.host(), at.port()))
                .findFirst()
                .orElse(null);
        return found != null && allowedOnce.remove(found);
    }

    private void tellAnswered(HostPort at, Verdict verdict) {
        events.accept(new EgressEvent.Answered(at.host(), at.port(), verdict.allowed(), verdict.rule()));
    }

    /** A person allows a host for one request: the first waiting one, or the next. */
    void allowOnce(String host) {
        HostPattern pattern = HostPattern.parse(host);
        for (HostPort at : asks.open()) {
            if (pattern.matches(at.host(), at.port()) && asks.answerFirst(at, ONCE)) {
                return;
            }
        }
        if (allowedOnce.size() < ONCE_MAX) {
            allowedOnce.add(pattern);
        }
    }

    /** A person allows a host from now on, also for waiting requests. */
    void allow(String host) {
        allowedMeanwhile.add(host);
        changePolicy(policy.policy());
    }

    /** Refuses the requests that wait for a host; {@code rule} says why. */
    void deny(String host, String rule) {
        HostPattern pattern = HostPattern.parse(host);
        for (HostPort at : asks.open()) {
            if (pattern.matches(at.host(), at.port())) {
                asks.answer(at, new Verdict(false, rule, false));
            }
        }
    }

    /** The worker ended: closes all asks. */
    void close() {
        asks.open().forEach(at -> asks.answer(at, OVER));
    }

    /** Replaces the policy, also for waiting requests. */
    void changePolicy(EgressPolicy changed) {
        policy = new HostPolicy(changed, allowedMeanwhile);
        for (HostPort at : asks.open()) {
            Verdict verdict = policy.host(at.host(), at.port());
            if (verdict.allowed() || !verdict.askable()) {
                asks.answer(at, verdict);
            }
        }
    }
}
