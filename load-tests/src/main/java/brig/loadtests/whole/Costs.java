package brig.loadtests.whole;

import brig.loadtests.product.Brig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the processes of a product or a peer took so far, by what they are for. */
public record Costs(Map<Role, Cost> byRole) {
    private static final double TICKS_PER_SECOND = 100;
    private static final int USER_TIME = 11;
    private static final int ENDED_CHILDREN_SYSTEM_TIME = 14;
    private static final String BRIG_EGRESS = "brig.egress.";

    /**
     * The processes of one role.
     *
     * @param cpuSeconds user and system time, also of children that ended: the launcher has those of past walls
     * @param residentBytes pages that are shared count in each process
     */
    public record Cost(int processes, double cpuSeconds, long residentBytes, int threads) {
        static final Cost NONE = new Cost(0, 0, 0, 0);

        Cost plus(Cost other) {
            return new Cost(
                    processes + other.processes,
                    cpuSeconds + other.cpuSeconds,
                    residentBytes + other.residentBytes,
                    threads + other.threads);
        }
    }

    /** Reads them now. A process that ends meanwhile does not count. */
    public static Costs of(Brig brig) {
        Map<Role, Cost> found = new EnumMap<>(Role.class);
        add(found, Role.GATEWAY, brig.pid());
        brig.workerAgents().forEach(workerAgent -> addTree(found, Role.WORKER_AGENT, workerAgent));
        return new Costs(found);
    }

    /** The same of a process and what it started. */
    static Costs ofTree(ProcessHandle process, Role role) {
        Map<Role, Cost> found = new EnumMap<>(Role.class);
        addTree(found, role, process);
        return new Costs(found);
    }

    private static void addTree(Map<Role, Cost> found, Role role, ProcessHandle process) {
        add(found, role, process.pid());
        process.descendants().forEach(child -> add(found, role(child.pid()), child.pid()));
    }

    /** What there are processes for. */
    public Set<Role> roles() {
        return byRole.keySet();
    }

    public Cost of(Role role) {
        return byRole.getOrDefault(role, Cost.NONE);
    }

    /** CPU seconds since an earlier moment, of one role. */
    public double cpuSince(Costs before, Role role) {
        return of(role).cpuSeconds() - before.of(role).cpuSeconds();
    }

    /** CPU seconds since an earlier moment, of all but the agents. */
    public double deliveringCpuSince(Costs before) {
        double sum = 0;
        for (Role role : Role.values()) {
            sum += role == Role.AGENT ? 0 : cpuSince(before, role);
        }
        return sum;
    }

    private static void add(Map<Role, Cost> found, Role role, long pid) {
        cost(pid).ifPresent(cost -> found.merge(role, cost, Cost::plus));
    }

    private static Role role(long pid) {
        return switch (text(pid, "comm").strip()) {
            case "brig-launcher" -> Role.LAUNCHER;
            case "brig-init", "bwrap" -> Role.WALL;
            default -> text(pid, "cmdline").contains(BRIG_EGRESS) ? Role.EGRESS : Role.AGENT;
        };
    }

    private static Optional<Cost> cost(long pid) {
        String line = text(pid, "stat");
        return line.isEmpty() ? Optional.empty() : Optional.of(parse(line, residentBytes(pid)));
    }

    /** Reads a line of {@code /proc/PID/stat}, see proc(5). */
    static Cost parse(String line, long residentBytes) {
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        double ticks = 0;
        for (int field = USER_TIME; field <= ENDED_CHILDREN_SYSTEM_TIME; field++) {
            ticks += Long.parseLong(fields[field]);
        }
        return new Cost(1, ticks / TICKS_PER_SECOND, residentBytes, Integer.parseInt(fields[17]));
    }

    private static long residentBytes(long pid) {
        try {
            return Brig.residentBytes(pid);
        } catch (IOException ended) {
            return 0;
        }
    }

    private static String text(long pid, String file) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(pid), file), StandardCharsets.ISO_8859_1);
        } catch (IOException ended) {
            return "";
        }
    }
}
