package brig.workeragent.sandbox;

import brig.workeragent.limits.ResourceLimits;
import java.util.ArrayList;
import java.util.List;

/**
 * gVisor, which the starter of {@code brig-gvisor.c} runs.
 *
 * <p>Decision 0205.
 */
final class Gvisor implements SecondKernel {
    static final Gvisor INSTANCE = new Gvisor();

    /** Covered by the starter with a file system that nobody behind gVisor sees. */
    private static final String FOLDER = "/run/brig-gvisor";

    private static final String STARTER = "/run/brig-gvisor-start";
    private static final String RUNSC = "/run/brig-runsc";

    /** gVisor's own processes and threads. */
    private static final int OWN_PROCESSES = 256;
    /** For each task behind gVisor, one of the host that runs its instructions, and often one of gVisor that waits for it. */
    private static final int PROCESSES_EACH = 2;

    private static final int PROCESSES_MAX = 4_000_000;

    private Gvisor() {}

    @Override
    public List<String> options(WallTemplate template, LauncherConfig config) throws SandboxException {
        return List.of(
                "--dir",
                FOLDER,
                "--ro-bind",
                template.program("brig-gvisor").toString(),
                STARTER,
                "--ro-bind",
                config.gvisor().require().toString(),
                RUNSC);
    }

    @Override
    public List<String> start(WallProfile profile, ResourceLimits limits) throws SandboxException {
        var words = new ArrayList<String>(List.of(
                STARTER,
                RUNSC,
                "--tmp",
                Long.toString(profile.tmpBytesMax()),
                "--home",
                Long.toString(profile.homeBytesMax()),
                "--shm",
                Long.toString(BubblewrapCommand.SHARED_MEMORY_BYTES)));
        for (String place : RootMounts.writable(profile)) words.addAll(List.of("--writable", place));
        words.addAll(List.of(profile.workspaceReadOnly() ? "--read-only" : "--writable", WallProfile.WORKSPACE));
        for (WallProfile.Mount mount : profile.mounts()) {
            if (!mount.readOnly())
                words.addAll(List.of("--writable", mount.target().toString()));
        }
        if (profile.shells() != null) words.addAll(List.of("--sockets", "open"));
        words.add("--");
        return words;
    }

    @Override
    public String word() {
        return "second";
    }

    @Override
    public ResourceLimits around(ResourceLimits limits) {
        return new ResourceLimits(
                limits.memoryBytesMax(),
                (int) Math.min(PROCESSES_MAX, (long) PROCESSES_EACH * limits.pidsMax() + OWN_PROCESSES),
                limits.cpuPercentMax(),
                limits.fileBytesMax(),
                limits.openFilesMax());
    }

    @Override
    public List<String> declared(DeclaredPosture posture, WallProfile profile) throws SandboxException {
        // Its devices could not be written to otherwise. What is made there is the wall's memory.
        return posture.behindKernel(profile, "/dev:");
    }
}
