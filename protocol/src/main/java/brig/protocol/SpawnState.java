package brig.protocol;

import java.util.Locale;

/** The states of a spawn, and which follows which. */
public enum SpawnState implements WireName {
    /** Recorded; nothing was started. */
    REQUESTED,
    /** The worker-agent was asked. */
    SPAWNING,
    /** The worker takes messages. */
    RUNNING,
    /** Nobody can say whether the worker lives. */
    UNKNOWN,
    /** The worker ran and has ended. Final. */
    TERMINATED,
    /** There never was a worker, or it was lost. Final. */
    FAILED;

    /** Whether nothing follows. */
    public boolean isFinal() {
        return this == TERMINATED || this == FAILED;
    }

    /** Whether that state may follow this one. */
    public boolean mayBecome(SpawnState next) {
        return switch (this) {
            case REQUESTED -> next == SPAWNING || next == FAILED;
            case SPAWNING -> next == RUNNING || next == FAILED || next == UNKNOWN;
            case RUNNING -> next == TERMINATED || next == UNKNOWN;
            case UNKNOWN -> next == SPAWNING || next == RUNNING || next == FAILED || next == TERMINATED;
            case TERMINATED, FAILED -> false;
        };
    }

    /** The value of {@code state} on the wire. */
    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
