package brig.workeragent.sandbox;

import brig.workeragent.limits.ResourceLimits;
import java.util.ArrayList;
import java.util.List;

/**
 * What a wall has for a second kernel: the starter of {@code brig-gvisor.c}, gVisor itself, and a folder for the starter.
 *
 * <p>Decision 0205.
 */
final class Gvisor {
    /** Covered by the starter with a file system that nobody behind gVisor sees. */
    static final String FOLDER = "/run/brig-gvisor";

    static final String STARTER = "/run/brig-gvisor-start";
    static final String RUNSC = "/run/brig-runsc";

    /** gVisor's own processes and threads. */
    private static final int OWN_PROCESSES = 256;
    /** For each task behind gVisor, one of the host that runs its instructions, and often one of gVisor that waits for it. */
    private static final int PROCESSES_EACH = 2;

    private static final int PROCESSES_MAX = 4_000_000;

    private Gvisor() {}

    /** How many processes of the host a wall needs for those that its worker may have. */
    static int processes(ResourceLimits limits) {
        return (int) Math.min(PROCESSES_MAX, (long) PROCESSES_EACH * limits.pidsMax() + OWN_PROCESSES);
    }

    /** The same limits, for the wall around gVisor. */
    static ResourceLimits around(ResourceLimits limits) {
        return new ResourceLimits(
                limits.memoryBytesMax(),
                processes(limits),
                limits.cpuPercentMax(),
                limits.fileBytesMax(),
                limits.openFilesMax());
    }

    /** The starter's command line, up to the command behind gVisor. */
    static List<String> start(WallProfile profile) {
        var words = new ArrayList<String>(List.of(
                STARTER,
                RUNSC,
                "--tmp",
                Long.toString(profile.tmpBytesMax()),
                "--home",
                Long.toString(profile.homeBytesMax()),
                "--shm",
                Long.toString(BubblewrapCommand.SHARED_MEMORY_BYTES),
                profile.workspaceReadOnly() ? "--read-only" : "--writable",
                WallProfile.WORKSPACE));
        for (WallProfile.Mount mount : profile.mounts()) {
            if (!mount.readOnly())
                words.addAll(List.of("--writable", mount.target().toString()));
        }
        if (profile.shells() != null) words.addAll(List.of("--sockets", "open"));
        words.add("--");
        return words;
    }
}
