package brig.loadtests.conformance;

import brig.loadtests.product.Brig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The installed product with limits that are small enough to be reached. */
final class Product implements Target.Limited, Target.Control {
    private static final Map<String, Object> SETTINGS = Map.of("limits", Map.of(
            "retainedBytesPerStream", 128 * 1024L, "logBytesPerStream", 4 * 1024 * 1024L,
            "writeQueueBytes", 64 * 1024L, "slowReaderMs", 4_000L, "subscriptionsPerStreamMax", 40L));

    private final Brig brig;

    private Product(Brig brig) {
        this.brig = brig;
    }

    static Product start() throws IOException {
        return start(SETTINGS);
    }

    private static Product start(Map<String, Object> settings) throws IOException {
        return new Product(Brig.prepare(Brig.newFolder(), new Brig.Launch(settings, List.of(), Map.of())).launch());
    }

    /** With limits that a storm does not reach. */
    static Product patient() throws IOException {
        return start(Map.of("limits", Map.of("workersMax", 900L, "workersPerCaptainMax", 900L)));
    }

    /** Whether {@link #onSmallDisk} can be had: that takes root. */
    static boolean mayMount() throws IOException {
        return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    /**
     * Its state folder is a file system of 16 MiB, in a mount namespace of its own, which goes with the gateway: it
     * cannot be started again in it.
     */
    static Product onSmallDisk() throws IOException {
        Path folder = Brig.newFolder();
        String script = """
                mkdir -p "$1/state"; mount -t tmpfs -o size=16m,mode=711 brig-chaos "$1/state"
                (while [ -d "$1" ]; do
                    if [ -e "$1/fill" ]; then cat /dev/zero 2>/dev/null > "$1/state/filler" || :
                    else rm -f "$1/state/filler"; fi
                    sleep 0.2
                done) <&- >&- 2>&- &
                shift
                exec "$@"
                """;
        return new Product(Brig.prepare(folder, new Brig.Launch(
                Map.of("limits", Map.of("workersMax", 900L, "workersPerCaptainMax", 900L), "retention", Map.of("bytes",
                        4L << 20)),
                List.of("unshare", "-m", "sh", "-ec", script, "sh", folder.toString()), Map.of())).launch());
    }

    /** Fills the disk of {@link #onSmallDisk}, or makes room again; it takes up to a fifth of a second. */
    void fillDisk(boolean full) throws IOException {
        Path fill = brig.folder().resolve("fill");
        if (full) {
            Files.createFile(fill);
        } else {
            Files.delete(fill);
        }
    }

    /** Ends the worker-agent without a warning, and so all workers; the gateway starts another. */
    void killWorkerAgent() throws IOException {
        brig.workerAgents().forEach(ProcessHandle::destroyForcibly);
    }

    @Override
    public Target target() throws IOException {
        return target("shell");
    }

    @Override
    public Target.Limited limited(Map<String, Long> limits) throws IOException {
        return start(Map.of("limits", limits));
    }

    @Override
    public void loseRecord(String spawnId) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(brig.streams().resolve(spawnId))) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }

    Target target(String agent) throws IOException {
        return new Target(() -> URI.create("http://127.0.0.1:" + brig.port()), brig.adminToken(), agent, Scale.PRODUCT,
                this);
    }

    @Override
    public void restart() throws IOException {
        brig.restart();
    }

    @Override
    public Path spawnerSocket() {
        return brig.spawnerSocket();
    }

    @Override
    public Path httpSocket() {
        return brig.httpSocket();
    }

    @Override
    public void stop() throws IOException {
        brig.stop();
    }

    @Override
    public void close() throws IOException {
        brig.close();
    }
}
