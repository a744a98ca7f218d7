package brig.workeragent.sandbox;

import brig.workeragent.limits.ResourceLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A virtual machine, which the starter of {@code brig-vm.c} continues from a {@link MachineImage}.
 *
 * <p>Decision 0210.
 */
final class VirtualMachine implements SecondKernel {
    static final VirtualMachine INSTANCE = new VirtualMachine();

    private static final String STARTER = "/run/brig-vm-start";
    /** Covered by the starter, so that nobody in the machine sees it. */
    private static final String GIVEN = "/run/brig-vm";
    /** For the files of QEMU, which the starter lays out. */
    private static final String STAGE = "/run/brig-vm-stage";

    /** The starter's and QEMU's threads. */
    private static final int OWN_PROCESSES = 128;
    /** Of QEMU: translated code (256 MiB at most), its own memory, and the machine's kernel. */
    private static final long OWN_BYTES = 512L << 20;

    private static final int OPEN_FILES = 4096;

    private VirtualMachine() {}

    @Override
    public List<String> options(WallTemplate template, LauncherConfig config) throws SandboxException {
        MachineImage.Image image = config.machines().require();
        var options = new ArrayList<String>(List.of(
                "--dir",
                GIVEN,
                "--dir",
                STAGE,
                "--ro-bind",
                "/usr",
                GIVEN + "/usr",
                "--ro-bind",
                image.folder().toString(),
                GIVEN + "/image",
                "--ro-bind",
                template.program("libbrig-vm-ram.so").toString(),
                GIVEN + "/ram.so",
                "--ro-bind",
                template.program("brig-vm").toString(),
                STARTER));
        if (image.kvm()) options.addAll(List.of("--dev-bind", "/dev/kvm", "/dev/kvm"));
        return options;
    }

    @Override
    public List<String> start(WallProfile profile, ResourceLimits limits) throws SandboxException {
        var words = new ArrayList<String>(List.of(
                STARTER,
                "run",
                "--tmp",
                Long.toString(profile.tmpBytesMax()),
                "--home",
                Long.toString(profile.homeBytesMax()),
                "--shm",
                Long.toString(BubblewrapCommand.SHARED_MEMORY_BYTES),
                "--memory",
                Long.toString(limits.memoryBytesMax())));
        if (profile.network().exists()) words.addAll(List.of("--network", "claimed"));
        for (String writable : RootMounts.writable(profile)) words.addAll(place(Path.of(writable), false));
        words.addAll(place(Path.of(WallProfile.WORKSPACE), profile.workspaceReadOnly()));
        for (WallProfile.Mount mount : profile.mounts()) words.addAll(place(mount.target(), mount.readOnly()));
        words.add("--");
        return words;
    }

    private static List<String> place(Path target, boolean readOnly) {
        return List.of(readOnly ? "--read-only" : "--writable", target.toString());
    }

    @Override
    public String word() {
        return "virtual";
    }

    @Override
    public ResourceLimits around(ResourceLimits limits) {
        return new ResourceLimits(
                limits.memoryBytesMax() + OWN_BYTES,
                OWN_PROCESSES,
                limits.cpuPercentMax(),
                limits.fileBytesMax(),
                OPEN_FILES);
    }

    @Override
    public List<String> declared(DeclaredPosture posture, WallProfile profile) throws SandboxException {
        return Stream.concat(Stream.of("uid-not-root", "no-capabilities"), posture.behindKernel(profile, "").stream())
                .toList();
    }
}
