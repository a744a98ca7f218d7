package brig.loadtests.cluster;

import brig.loadtests.engine.Engine;
import brig.loadtests.engine.EngineEvent;
import brig.loadtests.engine.EngineResult;
import brig.loadtests.peers.InstalledPrograms;
import brig.loadtests.product.Brig;
import brig.loadtests.report.Console;
import brig.loadtests.report.Machine;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code brig bench cluster}. */
@Command(
        name = "cluster",
        description = "What it costs that several gateways share a host, beside one gateway alone.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Starts gateways and nats-servers itself, with private folders, and acts as the worker-agent of the host that",
            "they share. The ways are: one gateway alone (alone); with the cluster on, and one nats-server (cluster); three",
            "gateways and three nats-servers, which write to disk before they acknowledge (three); and the same with all",
            "readers at a gateway that does not own the host (elsewhere). They take turns, each run with new processes.",
            "",
            "acknowledged: frames as fast as the gateway acknowledges them, without readers. read: as fast as a reader of",
            "each stream takes them. paced: at --rate, from the time that a frame is due to the read. CPU is that of all",
            "gateways and nats-servers, for a million frames. Every frame that is read is checked.",
            "Exit code 1: a frame was lost, doubled or damaged, or a run did not work. 3: a way adds more than 2 ms at the",
            "median, or the stream of a host takes less than 1 million frames a second.",
            "",
            "Examples:",
            "  brig bench cluster",
            "  brig bench cluster --ways alone,three --loads stream --rounds 5 --json",
            "  brig bench cluster --nats-server /opt/nats/nats-server --streams 20 --rate 200"
        })
public final class ClusterBench implements Callable<Integer> {
    private static final int EXIT_FAILED = 1;
    private static final int EXIT_TOO_SLOW = 3;
    private static final int ROUNDS_MAX = 100;
    private static final int SECONDS_MAX = 3600;
    private static final int STREAMS_MAX = 1000;
    private static final int CONTENT_BYTES_MAX = 60_000;
    private static final int RATE_MAX = 10_000;
    private static final int MS_PER_SECOND = 1000;
    private static final long OPEN_SECONDS_MAX = 300;

    @Option(
            names = "--ways",
            split = ",",
            paramLabel = "WAY",
            description = "Only these: alone, cluster, three, elsewhere.")
    private List<Way> ways = List.of(Way.values());

    @Option(names = "--loads", split = ",", paramLabel = "LOAD", description = "Only these: stream, read, paced.")
    private List<Load> loads = List.of(Load.values());

    @Option(names = "--streams", description = "Workers of the host.", defaultValue = "100")
    private int streams;

    @Option(names = "--rate", description = "Frames a second of each paced worker.", defaultValue = "50")
    private int rate;

    @Option(names = "--content-bytes", description = "Content of each frame.", defaultValue = "32")
    private int contentBytes;

    @Option(names = "--rounds", description = "Runs of each way and load; the median counts.", defaultValue = "3")
    private int rounds;

    @Option(names = "--warm-up", description = "Seconds before it counts.", defaultValue = "15")
    private int warmUpSeconds;

    @Option(names = "--seconds", description = "Measured time of each run.", defaultValue = "5")
    private int seconds;

    @Option(
            names = "--nats-server",
            paramLabel = "FILE",
            description = "The program, 2.10.23 or later, if it is not in the PATH.")
    private @Nullable Path natsServer;

    @Mixin
    private Console console = new Console();

    @Override
    public Integer call() throws IOException {
        console.requireUpTo(STREAMS_MAX, "--streams", streams);
        console.requireUpTo(RATE_MAX, "--rate", rate);
        console.requireUpTo(CONTENT_BYTES_MAX, "--content-bytes", contentBytes);
        console.requireUpTo(ROUNDS_MAX, "--rounds", rounds);
        console.requireUpTo(SECONDS_MAX, "--warm-up", warmUpSeconds);
        console.requireUpTo(SECONDS_MAX, "--seconds", seconds);
        Path program = program();
        String machine = Machine.line();
        List<Way> wanted = new ArrayList<>(new TreeSet<>(ways));
        ClusterFigures figures = new ClusterFigures(wanted);
        for (int round = 1; round <= rounds; round++) {
            for (Load load : new TreeSet<>(loads)) {
                for (Way way : wanted) {
                    if (load.differs(way)) {
                        console.tell(load.title() + ", " + way.title() + ", round " + round + " of " + rounds);
                        run(program, way, load, figures);
                    }
                }
            }
        }
        report(machine, figures);
        return !figures.isComplete() ? EXIT_FAILED : figures.holds() ? 0 : EXIT_TOO_SLOW;
    }

    private Path program() {
        Path program = natsServer == null
                ? InstalledPrograms.program("nats-server").orElse(null)
                : natsServer.toAbsolutePath();
        if (program == null || !Files.isExecutable(program)) {
            throw console.refusal(
                    program == null
                            ? "nats-server is not installed: name a file with --nats-server; Debian 13 has a package of that name"
                            : program + " is no program");
        }
        return program;
    }

    private void run(Path program, Way way, Load load, ClusterFigures figures) throws IOException {
        Path folder = Brig.newFolder();
        try (ClusterSite site = ClusterSite.prepare(way, program, folder);
                Engine engine = Engine.start(
                        command(site, load), folder, OPEN_SECONDS_MAX + warmUpSeconds + seconds, progress -> {})) {
            engine.await(EngineEvent.Ready.class);
            for (String line : site.open(streams)) {
                engine.tell(line);
            }
            engine.tell("go");
            EngineResult result = engine.result();
            if (result.fault() != null) {
                figures.fail(way, load, result.fault());
            } else {
                figures.add(way, load, load.measured(way, result));
            }
        } catch (IOException e) {
            figures.fail(way, load, String.valueOf(e.getMessage()));
        } finally {
            Brig.delete(folder);
        }
    }

    private List<String> command(ClusterSite site, Load load) {
        List<String> command = new ArrayList<>();
        command.add(Brig.home().resolve("lib/load-tests/brig-load").toString());
        command.addAll(site.generatorArguments());
        command.addAll(load.arguments(rate));
        command.addAll(List.of(
                "--streams",
                String.valueOf(streams),
                "--content-bytes",
                String.valueOf(contentBytes),
                "--warmup-ms",
                String.valueOf(warmUpSeconds * MS_PER_SECOND),
                "--duration-ms",
                String.valueOf(seconds * MS_PER_SECOND)));
        return command;
    }

    private void report(String machine, ClusterFigures figures) {
        if (console.isJson()) {
            console.print(JsonObject.builder()
                    .put("machine", machine)
                    .put("streams", streams)
                    .put("rate", rate)
                    .put("content_bytes", contentBytes)
                    .put("ways", figures.json())
                    .put("faults", figures.faults())
                    .put("holds", figures.isComplete() && figures.holds())
                    .build());
        } else {
            console.say(machine);
            console.say(streams + " streams of one host, content of " + contentBytes + " bytes, paced: " + rate
                    + " frames/s each");
            figures.lines().forEach(console::say);
        }
    }
}
