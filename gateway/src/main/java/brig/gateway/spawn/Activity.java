package brig.gateway.spawn;

import brig.protocol.SpawnState;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.SpawnView;
import brig.protocol.frame.Frame;
import org.jspecify.annotations.Nullable;

/**
 * The current activity of a session: {@code starting}, {@code working}, {@code throttled_by_provider}, {@code waiting} for a person, {@code idle},
 * {@code failed}, {@code ended}, {@code unknown} or {@code unreachable}. It is derived from the state of the spawn, its open asks, and from
 * frames about the begin and the end of turns. Owned by the event loop.
 *
 * <p>Decision 0134.
 */
final class Activity {
    private final SessionAsks asks;
    private final Runnable changed;
    private boolean working;
    /** Whether an agent on a terminal waits for an answer there. */
    private boolean waiting;
    /** The provider that its requests wait for; null for none. */
    private @Nullable String provider;

    /** @param changed run when another activity may follow */
    Activity(SessionAsks asks, Runnable changed) {
        this.asks = asks;
        this.changed = changed;
    }

    /** A turn began, or an adopted worker is in one. */
    void handleMessage() {
        become(true, false);
    }

    /** An agent on a terminal says what it does; null for what this version does not know. */
    void handleActivity(Frame.Activity.@Nullable Doing doing) {
        if (doing != null) {
            become(doing != Frame.Activity.Doing.IDLE, doing == Frame.Activity.Doing.WAITING);
        }
    }

    /** Its requests wait for that provider of models; null if they do no longer. */
    void handleProvider(@Nullable String throttling) {
        provider = throttling;
        changed.run();
    }

    /** The provider that its requests wait for; null for none. */
    @Nullable
    String provider() {
        return provider;
    }

    /** The turn ended. */
    void handleDone() {
        provider = null;
        become(false, false);
    }

    private void become(boolean works, boolean waits) {
        working = works;
        waiting = waits;
        changed.run();
    }

    /** @param exit how the last turn ended; null for none */
    SpawnActivity in(SpawnState state, SpawnView.@Nullable Exit exit) {
        return switch (state) {
            case REQUESTED, SPAWNING -> SpawnActivity.STARTING;
            case UNKNOWN -> SpawnActivity.UNKNOWN;
            case UNREACHABLE -> SpawnActivity.UNREACHABLE;
            case FAILED -> SpawnActivity.FAILED;
            case TERMINATED -> SpawnActivity.ENDED;
            case RUNNING -> asks.isEmpty() && !waiting ? running(exit) : SpawnActivity.WAITING;
        };
    }

    private SpawnActivity running(SpawnView.@Nullable Exit exit) {
        if (provider != null) {
            return SpawnActivity.THROTTLED_BY_PROVIDER;
        }
        return working ? SpawnActivity.WORKING : hasFailed(exit) ? SpawnActivity.FAILED : SpawnActivity.IDLE;
    }

    /** A cancelled turn is not a failure. */
    private static boolean hasFailed(SpawnView.@Nullable Exit exit) {
        return exit != null && exit.exitCode() != 0 && !"cancelled".equals(exit.reason());
    }
}
