package brig.workeragent.egress;

import brig.egress.policy.HostPattern;
import brig.egress.policy.HostPort;
import brig.protocol.egress.EgressEvent;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The questions of one worker that wait for a person. Any thread may call. */
final class AskLedger {
    private static final int ASKS_MAX = 64;

    private final InstantSource clock;
    private final Map<HostPort, EgressOverview.Ask> asks = new ConcurrentHashMap<>();

    AskLedger(InstantSource clock) {
        this.clock = clock;
    }

    /** A request waits. Where too many do already it is not listed. */
    void handleAsk(EgressEvent.Ask ask) {
        long now = clock.millis();
        asks.values().removeIf(known -> known.deadlineMs() < now);
        if (asks.size() < ASKS_MAX) {
            asks.put(
                    new HostPort(ask.host(), ask.port()),
                    new EgressOverview.Ask(ask.host(), ask.port(), ask.method(), ask.rule(), now + ask.deadlineMs()));
        }
    }

    /** No request to that host waits any more. */
    void handleAnswered(HostPort at) {
        asks.remove(at);
    }

    /** A person answered all that wait for those hosts: they are listed no more, whatever their events take. */
    void handleDecided(HostPattern hosts) {
        asks.keySet().removeIf(at -> hosts.matches(at.host(), at.port()));
    }

    /** Who waited for an answer is gone. */
    void clear() {
        asks.clear();
    }

    /** Those whose deadline is not over, the most urgent first. */
    List<EgressOverview.Ask> open() {
        long now = clock.millis();
        return asks.values().stream()
                .filter(ask -> ask.deadlineMs() >= now)
                .sorted(Comparator.comparing(EgressOverview.Ask::deadlineMs))
                .toList();
    }
}
