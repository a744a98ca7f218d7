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
 * What a session does now, in a word for a person: {@code starting}, {@code working}, {@code waiting} for a person,
 * {@code idle}, {@code failed}, {@code ended} or {@code unknown}. It follows from the state of the spawn and from the
 * frames that say when a message's turn comes, when it is worked off, and what a person is asked. Owned by the event
 * loop.
 *
 * <p>Decision 0134.
 */
final class Activity {
    private static final int ASKS_MAX = 64;

    private boolean working;
    /** The hosts that the agent waits for. */
    private Set<String> asks = Set.of();

    /** The turn of a message has come, or a worker that was adopted works one off. */
    void handleMessage() {
        working = true;
    }

    /** A message is worked off, and nothing of it waits. */
    void handleDone() {
        working = false;
        asks = Set.of();
    }

    /** A worker was adopted whose agent waits for these, as its worker-agent says. */
    void handleOpenAsks(List<OpenAsk> open) {
        if (working) {
            open.forEach(ask -> handleAsk(ask.host() + ":" + ask.port()));
        }
    }

    /** A frame {@code egress} says so. */
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

    /** @param exit how the last message that is over ended; null for none */
    SpawnActivity in(SpawnState state, SpawnView.@Nullable Exit exit) {
        return switch (state) {
            case REQUESTED, SPAWNING -> SpawnActivity.STARTING;
            case UNKNOWN -> SpawnActivity.UNKNOWN;
            case FAILED -> SpawnActivity.FAILED;
            case TERMINATED -> SpawnActivity.ENDED;
            case RUNNING -> asks.isEmpty() ? running(exit) : SpawnActivity.WAITING;
        };
    }

    private SpawnActivity running(SpawnView.@Nullable Exit exit) {
        return working ? SpawnActivity.WORKING : hasFailed(exit) ? SpawnActivity.FAILED : SpawnActivity.IDLE;
    }

    /** Who is interrupted did not fail. */
    private static boolean hasFailed(SpawnView.@Nullable Exit exit) {
        return exit != null && exit.exitCode() != 0 && !"cancelled".equals(exit.reason());
    }
}
