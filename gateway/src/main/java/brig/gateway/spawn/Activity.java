package brig.gateway.spawn;

import brig.protocol.SpawnState;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.SpawnView;
import org.jspecify.annotations.Nullable;

/**
 * The current activity of a session: {@code starting}, {@code working}, {@code waiting} for a person, {@code idle},
 * {@code failed}, {@code ended}, {@code unknown} or {@code unreachable}. It is derived from the state of the spawn, its open asks, and from
 * frames about the begin and the end of turns. Owned by the event loop.
 *
 * <p>Decision 0134.
 */
final class Activity {
    private final SessionAsks asks;
    private boolean working;

    Activity(SessionAsks asks) {
        this.asks = asks;
    }

    /** A turn began, or an adopted worker is in one. */
    void handleMessage() {
        working = true;
    }

    /** The turn ended. */
    void handleDone() {
        working = false;
    }

    /** @param exit how the last turn ended; null for none */
    SpawnActivity in(SpawnState state, SpawnView.@Nullable Exit exit) {
        return switch (state) {
            case REQUESTED, SPAWNING -> SpawnActivity.STARTING;
            case UNKNOWN -> SpawnActivity.UNKNOWN;
            case UNREACHABLE -> SpawnActivity.UNREACHABLE;
            case FAILED -> SpawnActivity.FAILED;
            case TERMINATED -> SpawnActivity.ENDED;
            case RUNNING -> asks.isEmpty() ? running(exit) : SpawnActivity.WAITING;
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
