package brig.loadtests.conformance;

import brig.loadtests.client.Scale;
import brig.loadtests.client.Target;
import brig.loadtests.client.WorkerPlace;
import brig.loadtests.engine.Children;
import brig.loadtests.product.Brig;
import brig.loadtests.product.JvmOptions;
import brig.loadtests.product.ServeSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The installed product with limits small enough to be reached. */
public final class Product implements Target.Limited, Target.Control {
    private static final ServeSettings SMALL = ServeSettings.DEFAULTS.withLimits(Map.of(
            "retainedBytesPerStream",
            128 * 1024L,
            "logBytesPerStream",
            4 * 1024 * 1024L,
            "writeQueueBytes",
            64 * 1024L,
            "subscriptionsPerStreamMax",
            40L));
    /** More concurrent workers than a storm has. */
    private static final ServeSettings PATIENT = ServeSettings.DEFAULTS.withWorkers(900);

    private final Brig brig;
    private final @Nullable Process disk;

    private Product(Brig brig, @Nullable Process disk) {
        this.brig = brig;
        this.disk = disk;
    }

    public static Product start() throws IOException {
        return start(SMALL);
    }

    private static Product start(ServeSettings settings) throws IOException {
        return new Product(
                Brig.prepare(Brig.newFolder(), Brig.Launch.with(settings)).launch(), null);
    }

    /** With limits that a storm does not reach. */
    public static Product patient() throws IOException {
        return start(PATIENT);
    }

    /** Whether {@link #onSmallDisk} is possible, which needs root. */
    public static boolean mayMount() throws IOException {
        return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    /**
     * With a state folder on a 64 MiB file system in a mount namespace of its own. A shell holds the namespace, so the
     * gateway can be killed and restarted in it, and {@link #disk} controls the disk.
     */
    public static Product onSmallDisk() throws IOException {
        Path folder = Brig.newFolder();
        String script = """
                mkdir -p "$1" "$1.locked"; mount -t tmpfs -o size=64m,mode=711 brig-chaos "$1"; echo done
                while read -r what; do
                    case $what in
                        fill) cat /dev/zero 2>/dev/null > "$1/filler" || : ;;
                        empty) rm "$1/filler" ;;
                        lock) mount --bind "$1" "$1.locked"; mount -o remount,bind,ro "$1.locked"
                            mount --move "$1.locked" "$1" ;;
                        unlock) umount -l "$1" ;;
                    esac
                    echo done
                done
                """;
        Process disk = Children.start(new ProcessBuilder("unshare", "-m", "sh", "-ec", script, "sh", folder + "/state")
                .redirectError(ProcessBuilder.Redirect.INHERIT));
        ServeSettings settings = PATIENT.withRetention(32L << 20);
        List<String> inside = List.of("nsenter", "--mount=/proc/" + disk.pid() + "/ns/mnt");
        try {
            awaitDone(disk);
            return new Product(
                    Brig.prepare(folder, new Brig.Launch(Brig.home(), settings, inside, JvmOptions.NONE))
                            .launch(),
                    disk);
        } catch (IOException e) {
            disk.destroy();
            throw e;
        }
    }

    /**
     * Controls the disk of {@link #onSmallDisk}: {@code fill} and {@code empty}; {@code lock} makes later opens in its
     * folders fail, and {@code unlock} undoes that. Returns when it is done.
     */
    public void disk(String what) throws IOException {
        if (disk == null) {
            throw new IllegalStateException("its disk is the host's");
        }
        disk.getOutputStream().write((what + "\n").getBytes(StandardCharsets.US_ASCII));
        disk.getOutputStream().flush();
        awaitDone(disk);
    }

    private static void awaitDone(Process disk) throws IOException {
        for (int next = disk.getInputStream().read();
                next != '\n';
                next = disk.getInputStream().read()) {
            if (next < 0) {
                throw new IOException("the small disk cannot be had");
            }
        }
    }

    /** Kills the worker-agent, and with it all workers; the gateway starts another. */
    public void killWorkerAgent() throws IOException {
        brig.workerAgents().forEach(ProcessHandle::destroyForcibly);
    }

    @Override
    public Target target() throws IOException {
        return target("shell");
    }

    @Override
    public Target.Limited limited(Map<String, Long> limits) throws IOException {
        return start(ServeSettings.DEFAULTS.withLimits(limits));
    }

    @Override
    public void loseRecord(String spawnId) throws IOException {
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(brig.streams().resolve(spawnId))) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }

    public Target target(String agent) throws IOException {
        return new Target(
                () -> URI.create("http://127.0.0.1:" + brig.port()),
                brig.adminToken(),
                agent,
                WorkerPlace.HERE,
                Scale.PRODUCT,
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
        if (disk != null) {
            disk.destroy();
        }
    }
}
