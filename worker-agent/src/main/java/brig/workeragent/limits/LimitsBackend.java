package brig.workeragent.limits;

import java.util.ArrayList;
import java.util.List;

/**
 * Enforces {@link ResourceLimits}. {@link #probe} selects the first that works here: a delegated cgroup v2, cgroup v1,
 * else rlimits alone. A systemd unit with {@code Delegate=yes} is a delegated cgroup v2.
 */
public sealed interface LimitsBackend permits Cgroup1, Cgroup2, RlimitsOnly {

    /** The names of the levels, best first. */
    List<String> LEVELS = List.of("cgroup2", "cgroup1", "rlimits");

    /** bwrap and brig-init are in the worker's group too, but only the worker's own processes are limited. */
    int WALL_PROCESSES = 2;

    /** One of {@link #LEVELS}, for status pages. */
    String level();

    /** For the operator: the location of the groups, or the substitute for them. */
    String place();

    /** For the operator: the gaps of this level, one line each. */
    List<String> gaps();

    /**
     * Creates the groups of one worker without limits, so that they can be created and joined before their use is
     * known.
     *
     * @param name 1 to 100 characters of letters, digits, {@code _}, {@code -}
     */
    LimitsLease acquire(String name) throws LimitsUnavailableException;

    /** Removes leftovers of ended workers. No lease may be held any longer. May take two seconds. */
    void close();

    /** The best level of this host, and why better ones were refused. Removes leftovers of an earlier run. */
    static Probe probe() {
        var refusals = new ArrayList<String>();
        for (String level : LEVELS) {
            try {
                return new Probe(open(level), List.copyOf(refusals));
            } catch (LimitsUnavailableException unavailable) {
                refusals.add(level + ": " + unavailable.getMessage());
            }
        }
        throw new IllegalStateException("rlimits are always there");
    }

    /** That level and no other. */
    static Probe require(String level) throws LimitsUnavailableException {
        return new Probe(open(level), List.of());
    }

    private static LimitsBackend open(String level) throws LimitsUnavailableException {
        return switch (level) {
            case "cgroup2" -> Cgroup2.open(CgroupMounts.read(), GroupFolders.OF_KERNEL);
            case "cgroup1" -> Cgroup1.open(CgroupMounts.read());
            case "rlimits" -> new RlimitsOnly();
            default -> throw new IllegalArgumentException("there is no level " + level);
        };
    }

    /**
     * The result of probing.
     *
     * @param backend  the selected one
     * @param refusals one line for each better mechanism: why it does not work here
     */
    record Probe(LimitsBackend backend, List<String> refusals) {}
}
