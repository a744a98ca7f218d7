package brig.protocol;

import java.util.Locale;

/** The states of a spawn and their transitions. */
public enum SpawnState implements WireName {
    /** Recorded; nothing was started yet. */
    REQUESTED,
    /** Requested from the worker-agent. */
    SPAWNING,
    /** The worker accepts messages. */
    RUNNING,
    /** It is unknown whether the worker is alive. */
    UNKNOWN,
    /** The link to the worker's host is lost; the agent goes on there. */
    UNREACHABLE,
    /** The worker ran and has ended. Final. */
    TERMINATED,
    /** The worker was never started, or was lost. Final. */
    FAILED;

    /** Whether the state has no successor. */
    public boolean isFinal() {
        return this == TERMINATED || this == FAILED;
    }

    /** Whether the transition to that state is legal. */
    public boolean mayBecome(SpawnState next) {
        return switch (this) {
            case REQUESTED -> next == SPAWNING || next == FAILED;
            case SPAWNING -> next == RUNNING || next == FAILED || next == UNKNOWN || next == UNREACHABLE;
            case RUNNING -> next == TERMINATED || next == UNKNOWN || next == UNREACHABLE;
            case UNKNOWN, UNREACHABLE -> next == SPAWNING || next == RUNNING || next == FAILED || next == TERMINATED;
            case TERMINATED, FAILED -> false;
        };
    }

    /** The value of {@code state} on the wire. */
    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
