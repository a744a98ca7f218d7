package brig.gateway.spawn;

import brig.protocol.SpawnState;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.SpawnView;
import brig.protocol.control.EgressAnswer.OpenAsk;
import brig.protocol.egress.EgressEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The current activity of a session: {@code starting}, {@code working}, {@code waiting} for a person, {@code idle},
 * {@code failed}, {@code ended} or {@code unknown}. It is derived from the state of the spawn, and from frames about
 * the begin and the end of turns and about asks. Owned by the event loop.
 *
 * <p>Decision 0134.
 */
final class Activity {
    private static final int ASKS_MAX = 64;

    private final SessionAsks agentsAsks;
    private boolean working;
    /** Hosts of open asks. */
    private Set<String> asks = Set.of();

    Activity(SessionAsks agentsAsks) {
        this.agentsAsks = agentsAsks;
    }

    /** A turn began, or an adopted worker is in one. */
    void handleMessage() {
        working = true;
    }

    /** The turn ended, and so did its asks. */
    void handleDone() {
        working = false;
        asks = Set.of();
    }

    /** The open asks of an adopted worker, from its worker-agent. */
    void handleOpenAsks(List<OpenAsk> open) {
        if (working) {
            open.forEach(ask -> handleAsk(ask.host() + ":" + ask.port()));
        }
    }

    /** Handles an {@code egress} frame. */
    void handleEgress(EgressEvent.Shown event) {
        if (event instanceof EgressEvent.Ask ask) {
            handleAsk(ask.host() + ":" + ask.port());
        } else if (event instanceof EgressEvent.Answered answered && !asks.isEmpty()) {
            asks.remove(answered.host() + ":" + answered.port());
        }
    }

    private void handleAsk(String host) {
        if (asks.size() < ASKS_MAX) {
            asks = asks.isEmpty() ? new HashSet<>() : asks;
            asks.add(host);
        }
    }

    /** @param exit how the last turn ended; null for none */
    SpawnActivity in(SpawnState state, SpawnView.@Nullable Exit exit) {
        return switch (state) {
            case REQUESTED, SPAWNING -> SpawnActivity.STARTING;
            case UNKNOWN -> SpawnActivity.UNKNOWN;
            case FAILED -> SpawnActivity.FAILED;
            case TERMINATED -> SpawnActivity.ENDED;
            case RUNNING -> asks.isEmpty() && agentsAsks.isEmpty() ? running(exit) : SpawnActivity.WAITING;
        };
    }

    private SpawnActivity running(SpawnView.@Nullable Exit exit) {
        return working ? SpawnActivity.WORKING : hasFailed(exit) ? SpawnActivity.FAILED : SpawnActivity.IDLE;
    }

    /** A cancelled turn is not a failure. */
    private static boolean hasFailed(SpawnView.@Nullable Exit exit) {
        return exit != null && exit.exitCode() != 0 && !"cancelled".equals(exit.reason());
    }
}
