package brig.gateway.e2e;

import brig.protocol.spawn.WallKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The programs of second kernels that the build found or made, for products of tests. */
final class SecondKernels {
    private static final Path RUNSC = Path.of(System.getProperty("brig.gvisor", "/none"), "usr/bin/runsc");
    private static final Path KERNEL = Path.of(System.getProperty("brig.vm", "/none"));
    private static final Path QEMU = Path.of("/usr/bin/qemu-system-x86_64");

    private SecondKernels() {}

    static boolean areHere(WallKind kind) {
        return switch (kind) {
            case BWRAP -> true;
            case GVISOR -> Files.isExecutable(RUNSC);
            case VM -> Files.isExecutable(QEMU) && Files.exists(KERNEL.resolve("initrd"));
        };
    }

    /** Has the product use them. Call it before it is started. */
    static void giveTo(Product product) throws IOException {
        // A folder of its own: an image in it is of one installation.
        Path folder = Files.createDirectory(product.folder().resolve("vm"));
        for (String part : List.of("vmlinux", "initrd")) {
            Files.createSymbolicLink(folder.resolve(part), KERNEL.resolve(part));
        }
        String given = Files.readString(product.config());
        Files.writeString(
                product.config(),
                given.replace(
                        "\"workspaceBases\"",
                        "\"runsc\":\"" + RUNSC + "\",\"vm\":{\"folder\":\"" + folder + "\"},\"workspaceBases\""));
    }

    /** Those that this worker-agent started. */
    static List<ProcessHandle> below(ProcessHandle workerAgent, WallKind kind) {
        return switch (kind) {
            case BWRAP -> List.of();
            case GVISOR -> Processes.below(workerAgent, "runsc");
            case VM -> Processes.below(workerAgent, QEMU.toString());
        };
    }
}
