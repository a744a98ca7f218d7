package brig.workeragent.egress;

import brig.egress.policy.HostPattern;
import brig.egress.policy.HostPort;
import brig.protocol.egress.EgressEvent;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The open asks of one worker. Thread-safe. */
final class AskLedger {
    private static final int ASKS_MAX = 64;

    private final InstantSource clock;
    private final Map<HostPort, EgressOverview.Ask> asks = new ConcurrentHashMap<>();

    AskLedger(InstantSource clock) {
        this.clock = clock;
    }

    /** Adds an ask, unless too many are listed. */
    void handleAsk(EgressEvent.Ask ask) {
        long now = clock.millis();
        asks.values().removeIf(known -> known.deadlineMs() < now);
        if (asks.size() < ASKS_MAX) {
            asks.put(
                    new HostPort(ask.host(), ask.port()),
                    new EgressOverview.Ask(ask.host(), ask.port(), ask.method(), ask.rule(), now + ask.deadlineMs()));
        }
    }

    /** Removes an ask: no request to that host waits any more. */
    void handleAnswered(HostPort at) {
        asks.remove(at);
    }

    /** A person answered the asks for those hosts: removes them before their events arrive. */
    void handleDecided(HostPattern hosts) {
        asks.keySet().removeIf(at -> hosts.matches(at.host(), at.port()));
    }

    /** Removes all asks: the waiting process ended. */
    void clear() {
        asks.clear();
    }

    /** Asks before their deadline, the most urgent first. */
    List<EgressOverview.Ask> open() {
        long now = clock.millis();
        return asks.values().stream()
                .filter(ask -> ask.deadlineMs() >= now)
                .sorted(Comparator.comparing(EgressOverview.Ask::deadlineMs))
                .toList();
    }
}
