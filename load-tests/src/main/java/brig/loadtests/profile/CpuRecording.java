package brig.loadtests.profile;

import brig.loadtests.product.Brig;
import brig.loadtests.product.JvmOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * A recording by JFR of the CPU time of gateway and worker-agent, from their start to their end. It is made in a folder
 * of its own, as the options of a JVM cannot name a folder with spaces.
 *
 * <p>Decision 0176.
 */
public final class CpuRecording implements AutoCloseable {
    public static final String GATEWAY = "gateway";
    public static final String WORKER_AGENT = "worker-agent";

    private final Path folder = Brig.newFolder();
    private final Path into;

    /** @param into the folder for the graphs */
    public CpuRecording(Path into) throws IOException {
        this.into = Files.createDirectories(into);
    }

    /** The options with which the product records. */
    public JvmOptions options() {
        return new JvmOptions(options(GATEWAY), options(WORKER_AGENT));
    }

    private List<String> options(String process) {
        return List.of(
                "-XX:StartFlightRecording:settings=none,+jdk.CPUTimeSample#enabled=true,"
                        + "+jdk.CPUTimeSample#throttle=2ms,dumponexit=true,filename=" + file(process),
                "-XX:FlightRecorderOptions:stackdepth=128,repository=" + folder,
                "-Xlog:jfr*=off");
    }

    private Path file(String process) {
        return folder.resolve(process + ".jfr");
    }

    /**
     * Draws a process, which has ended, as {@code NAME.svg}, and puts the recording beside it.
     *
     * @param cpuSeconds of the process in the time from {@code from} to {@code to}; 0 if that is not known
     */
    public Path draw(String process, String name, Instant from, Instant to, double cpuSeconds) throws IOException {
        FlameGraph graph = new FlameGraph();
        CpuSamples.read(file(process), from, to, graph);
        String title = String.format(
                Locale.ROOT,
                "CPU time of the %s in %.1f s",
                process,
                Duration.between(from, to).toMillis() / 1e3);
        Files.move(file(process), into.resolve(name + ".jfr"), StandardCopyOption.REPLACE_EXISTING);
        return Files.writeString(into.resolve(name + ".svg"), graph.svg(title, taken(graph, cpuSeconds)));
    }

    /** The JVM's own threads are not sampled. */
    private static String taken(FlameGraph graph, double cpuSeconds) {
        String java = String.format(Locale.ROOT, "%.2f s in Java threads", graph.nanos() / 1e9);
        return cpuSeconds == 0
                ? java
                : java
                        + String.format(
                                Locale.ROOT,
                                " of %.2f s in all; the rest is the JVM itself, such as its compilers",
                                cpuSeconds);
    }

    @Override
    public void close() throws IOException {
        Brig.delete(folder);
    }
}
