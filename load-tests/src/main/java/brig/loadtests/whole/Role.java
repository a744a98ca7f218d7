package brig.loadtests.whole;

import java.util.Locale;

/** What a process is for. */
public enum Role {
    GATEWAY,
    /** The one process of a peer that stands between agents and readers. */
    DELIVERER,
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
