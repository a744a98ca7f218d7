package brig.workeragent;

import brig.workeragent.egress.EgressConfig;
import brig.workeragent.limits.LimitsBackend;
import java.util.List;
import java.util.Map;

/**
 * The section {@code worker} of {@code config/brig.json}, where comments document each key. Bytes and milliseconds.
 *
 * <p>Decisions 0123, 0124.
 */
record WorkerAgentConfig(
        List<String> agentDirs,
        String defaultAgent,
        Map<String, String> agentNames,
        Map<String, String> agentModels,
        List<String> policyDirs,
        String routesDir,
        List<String> policies,
        List<String> workspaceBases,
        List<String> scratchBases,
        List<String> repositories,
        long keptWorkspaceMs,
        int uid,
        int startsPerSecondMax,
        int workersMax,
        int portConnectionsMax,
        long unackedBytesMax,
        int startMs,
        long idleMs,
        long turnMs,
        long stdinGraceMs,
        long termGraceMs,
        String limitsLevel,
        long memoryBytesMax,
        int pidsMax,
        int cpuPercentMax,
        long fileBytesMax,
        int openFilesMax,
        long tmpBytesMax,
        long homeBytesMax,
        Tools tools,
        EgressConfig egress) {

    /** Limits for each run of Brig's own programs on workers' files. */
    record Tools(int timeoutMs, long memoryBytesMax) {
        Tools {
            requireRange("timeoutMs", timeoutMs, 100, 600_000);
            requireRange("memoryBytesMax", memoryBytesMax, 64 * MIB, TIB);
        }
    }

    /** The launcher has room for 1,024 walls; the rest is for tool walls. */
    private static final int WORKERS_MAX = 1000;

    private static final long DAY_MS = 86_400_000;
    private static final long MIB = 1024 * 1024;
    private static final long TIB = MIB * MIB;

    WorkerAgentConfig {
        if (workspaceBases.isEmpty()) {
            throw new IllegalArgumentException("workspaceBases: must name at least one folder");
        }
        requireRangeOrNone("keptWorkspaceMs", keptWorkspaceMs, 1000, 3650 * DAY_MS);
        requireRange("uid", uid, 1, Integer.MAX_VALUE - 1);
        if (uid == egress.uid()) {
            throw new IllegalArgumentException("egress.uid: must be another than uid, which is the workers'");
        }
        requireRangeOrNone("startsPerSecondMax", startsPerSecondMax, 1, 10_000);
        requireRange("workersMax", workersMax, 1, WORKERS_MAX);
        requireRange("portConnectionsMax", portConnectionsMax, 1, 10_000);
        requireRange("unackedBytesMax", unackedBytesMax, 128 * 1024, 1024 * MIB);
        requireRange("startMs", startMs, 100, 600_000);
        requireRange("idleMs", idleMs, 1000, 365 * DAY_MS);
        requireRangeOrNone("turnMs", turnMs, 1000, 365 * DAY_MS);
        requireRange("stdinGraceMs", stdinGraceMs, 0, 60_000);
        requireRange("termGraceMs", termGraceMs, 0, 600_000);
        if (!limitsLevel.isEmpty() && !LimitsBackend.LEVELS.contains(limitsLevel)) {
            throw new IllegalArgumentException("limitsLevel: must be empty or one of " + LimitsBackend.LEVELS);
        }
        requireRangeOrNone("memoryBytesMax", memoryBytesMax, 16 * MIB, TIB);
        requireRangeOrNone("pidsMax", pidsMax, 4, 4_000_000);
        requireRangeOrNone("cpuPercentMax", cpuPercentMax, 1, 100_000);
        requireRangeOrNone("fileBytesMax", fileBytesMax, MIB, TIB);
        requireRangeOrNone("openFilesMax", openFilesMax, 16, 1_000_000);
        requireRangeOrNone("tmpBytesMax", tmpBytesMax, MIB, TIB);
        requireRangeOrNone("homeBytesMax", homeBytesMax, MIB, TIB);
    }

    private static void requireRange(String key, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(key + ": must be from " + min + " to " + max + ", not " + value);
        }
    }

    private static void requireRangeOrNone(String key, long value, long min, long max) {
        if (value != 0 && (value < min || value > max)) {
            throw new IllegalArgumentException(
                    key + ": must be 0 for no limit, or from " + min + " to " + max + ", not " + value);
        }
    }
}
