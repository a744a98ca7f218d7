package brig.workeragent.limits;

import java.util.ArrayList;
import java.util.List;

/**
 * Enforces {@link ResourceLimits}. {@link #probe} takes the first that works here: a delegated cgroup v2,
 * cgroup v1, and else rlimits alone. A systemd unit with {@code Delegate=yes} is a delegated cgroup v2.
 */
public sealed interface LimitsBackend permits Cgroup1, Cgroup2, RlimitsOnly {

    /**
     * bwrap and brig-init stand in the worker's group too; the worker's own processes are what is limited.
     */
    int WALL_PROCESSES = 2;

    /** {@code cgroup2}, {@code cgroup1} or {@code rlimits}: for status pages. */
    String level();

    /**
     * Makes the groups of one worker, without limits yet: so that they can be made, and joined, before it is known
     * what they will hold.
     *
     * @param name 1 to 100 characters of letters, digits, {@code _}, {@code -}
     */
    LimitsLease acquire(String name) throws LimitsUnavailableException;

    /**
     * The best that this host offers, and why nothing better was taken. Removes what an earlier run left
     * behind.
     */
    static Probe probe() {
        var refusals = new ArrayList<String>();
        try {
            return new Probe(Cgroup2.open(CgroupMounts.read()), List.copyOf(refusals));
        } catch (LimitsUnavailableException unavailable) {
            refusals.add("cgroup2: " + unavailable.getMessage());
        }
        try {
            return new Probe(Cgroup1.open(CgroupMounts.read()), List.copyOf(refusals));
        } catch (LimitsUnavailableException unavailable) {
            refusals.add("cgroup1: " + unavailable.getMessage());
        }
        return new Probe(new RlimitsOnly(), List.copyOf(refusals));
    }

    /**
     * What probing found.
     *
     * @param backend  the one to use
     * @param refusals one line for each better mechanism: why it does not work here
     */
    record Probe(LimitsBackend backend, List<String> refusals) {
    }
}
