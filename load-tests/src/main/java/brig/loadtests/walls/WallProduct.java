package brig.loadtests.walls;

import brig.loadtests.product.Brig;
import brig.loadtests.product.ServeSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The product with all kinds of walls that this host has. */
final class WallProduct {
    private static final List<String> KERNEL = List.of("vmlinux", "initrd");

    private WallProduct() {}

    /**
     * Starts it in a folder of its own.
     *
     * @param runsc gVisor's program; null for where distributions install it
     * @param vm where {@code brig vm image} put a kernel; null for its usual place
     */
    static Brig start(@Nullable Path runsc, @Nullable Path vm) throws IOException {
        Path folder = Brig.newFolder();
        try {
            ServeSettings.Worker kernels = ServeSettings.Worker.withKernels(
                    runsc == null ? "" : runsc.toAbsolutePath().toString(),
                    new ServeSettings.Machines(machines(folder, vm == null ? usualFolder() : vm.toAbsolutePath())
                            .toString()));
            return Brig.prepare(folder, Brig.Launch.with(ServeSettings.DEFAULTS.withWorker(kernels)))
                    .launch();
        } catch (IOException | RuntimeException e) {
            Brig.delete(folder);
            throw e;
        }
    }

    /** A folder for an image of these machines: images are of one installation, and go with this one. */
    private static Path machines(Path folder, Path kernel) throws IOException {
        if (!KERNEL.stream().map(kernel::resolve).allMatch(Files::exists)) {
            // The product says what is missing there.
            return kernel;
        }
        Path own = Files.createDirectory(folder.resolve("vm"));
        for (String part : KERNEL) {
            Files.createSymbolicLink(own.resolve(part), kernel.resolve(part));
        }
        return own;
    }

    private static Path usualFolder() {
        if ("root".equals(System.getProperty("user.name"))) {
            return Path.of("/var/lib/brig/vm");
        }
        String data = System.getenv().getOrDefault("XDG_DATA_HOME", "");
        return data.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".local/share/brig/vm")
                : Path.of(data, "brig/vm");
    }
}
