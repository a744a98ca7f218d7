package brig.workeragent;

import brig.protocol.record.Range;
import brig.protocol.record.Settings;
import brig.workeragent.budget.BudgetConfig;
import brig.workeragent.egress.EgressConfig;
import brig.workeragent.limits.LimitsBackend;
import java.util.List;
import java.util.Map;

/**
 * The section {@code worker} of {@code config/brig.json}, where comments document each key. Bytes and milliseconds.
 *
 * <p>Decisions 0123, 0124.
 */
@Settings
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

        @Range(min = 1000, max = 3650 * DAY_MS, orZero = true)
        long keptWorkspaceMs,

        @Range(min = 1, max = Integer.MAX_VALUE - 1) int uid,
        @Range(min = 1, max = 10_000, orZero = true) int startsPerSecondMax,
        @Range(min = 1, max = WORKERS_MAX) int workersMax,
        @Range(min = 1, max = 10_000) int portConnectionsMax,
        @Range(min = 128 * 1024, max = 1024 * MIB) long unackedBytesMax,
        @Range(min = MIB, max = TIB, orZero = true) long spillBytesMax,
        @Range(min = 100, max = 600_000) int startMs,
        @Range(min = 1000, max = 365 * DAY_MS) long idleMs,

        @Range(min = 1000, max = 365 * DAY_MS, orZero = true)
        long turnMs,

        @Range(max = 60_000) long stdinGraceMs,
        @Range(max = 600_000) long termGraceMs,
        String limitsLevel,
        String runsc,
        Vm vm,
        @Range(min = 16 * MIB, max = TIB, orZero = true) long memoryBytesMax,
        @Range(min = 4, max = 4_000_000, orZero = true) int pidsMax,
        @Range(min = 1, max = 100_000, orZero = true) int cpuPercentMax,
        @Range(min = MIB, max = TIB, orZero = true) long fileBytesMax,
        @Range(min = 16, max = 1_000_000, orZero = true) int openFilesMax,
        @Range(min = MIB, max = TIB, orZero = true) long tmpBytesMax,
        @Range(min = MIB, max = TIB, orZero = true) long homeBytesMax,
        @Range(min = MIB, max = TIB, orZero = true) long diskBytesMax,
        @Range(min = MIB, max = TIB, orZero = true) long diskReserveBytes,
        Tools tools,
        Images images,
        KeptRoots keptRoots,
        Checkpoints checkpoints,
        EgressConfig egress,
        BudgetConfig budget) {

    /** Limits for each run of Brig's own programs on workers' files. */
    record Tools(
            @Range(min = 100, max = 600_000) int timeoutMs,
            @Range(min = 64 * MIB, max = TIB) long memoryBytesMax) {}

    /** Virtual machines of walls: QEMU's program, their kernel's folder, and what each has. */
    record Vm(
            String qemu,
            String folder,
            @Range(min = 256 * MIB, max = TIB) long memoryBytes,
            @Range(min = 1, max = 64) int processors) {
        Vm {
            if (!qemu.isEmpty() && !qemu.startsWith("/")) {
                throw new IllegalArgumentException("qemu: must be empty or an absolute path");
            }
        }
    }

    /** Limits for images that are roots of walls. */
    record Images(
            @Range(min = MIB, max = TIB) long bytesMax,
            @Range(min = 100, max = 10_000_000) long filesMax,
            @Range(min = MIB, max = 64 * TIB) long allBytesMax,

            @Range(min = 1000, max = 3650 * DAY_MS, orZero = true)
            long keptMs) {}

    /** Limits for what sessions leave in writable roots. */
    record KeptRoots(
            @Range(min = MIB, max = TIB) long bytesMax,

            @Range(min = 1000, max = 3650 * DAY_MS, orZero = true)
            long keptMs) {}

    /** Limits for the checkpoints of each worktree: their number, and the bytes of their files. */
    record Checkpoints(
            @Range(min = 2, max = 10_000) int max,
            @Range(min = MIB, max = TIB) long bytesMax) {}

    /** The launcher has room for 1,024 walls; the rest is for tool walls. */
    static final int WORKERS_MAX = 1000;

    static final long DAY_MS = 86_400_000;
    static final long MIB = 1024 * 1024;
    static final long TIB = MIB * MIB;

    WorkerAgentConfig {
        if (workspaceBases.isEmpty()) {
            throw new IllegalArgumentException("workspaceBases: must name at least one folder");
        }
        if (uid == egress.uid()) {
            throw new IllegalArgumentException("egress.uid: must be another than uid, which is the workers'");
        }
        if (!runsc.isEmpty() && !runsc.startsWith("/")) {
            throw new IllegalArgumentException("runsc: must be empty or an absolute path");
        }
        if (!limitsLevel.isEmpty() && !LimitsBackend.LEVELS.contains(limitsLevel)) {
            throw new IllegalArgumentException("limitsLevel: must be empty or one of " + LimitsBackend.LEVELS);
        }
    }
}
