package brig.loadtests.whole;

import java.util.Locale;

/** What a process of the product is for. */
public enum Role {
    GATEWAY,
    WORKER_AGENT,
    EGRESS,
    LAUNCHER,
    /** The first process in a wall, and bubblewrap outside. */
    WALL,
    AGENT;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
