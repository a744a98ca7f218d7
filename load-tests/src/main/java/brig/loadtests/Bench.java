package brig.loadtests;

import brig.loadtests.bench.Results;
import brig.loadtests.bench.Runner;
import brig.loadtests.cluster.ClusterBench;
import brig.loadtests.peers.Peer;
import brig.loadtests.peers.Peers;
import brig.loadtests.peers.Site;
import brig.loadtests.product.Brig;
import brig.loadtests.report.Heading;
import brig.loadtests.report.HtmlReport;
import brig.loadtests.report.JsonReport;
import brig.loadtests.report.ProgressDisplay;
import brig.loadtests.report.Table;
import brig.loadtests.suite.Profile;
import brig.loadtests.suite.Scenario;
import brig.loadtests.suite.Suite;
import brig.loadtests.walls.CheckpointBench;
import brig.loadtests.walls.WallsBench;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code brig bench}.
 *
 * <p>Decision 0024.
 */
@Command(
        name = "bench",
        description = "The streaming path beside its peers: interleaved rounds, every frame checked.",
        mixinStandardHelpOptions = true,
        subcommands = {
            RestartLatency.class,
            KeyLatency.class,
            WholePath.class,
            AdapterCosts.class,
            RouteLatency.class,
            WallsBench.class,
            CheckpointBench.class,
            ClusterBench.class,
            Guard.class
        },
        footer = {
            "",
            "The server has one core, the generator another. Peers that are not installed are left",
            "out and named. Exit code 1: Brig lost or damaged something, or did not work; 3: a bound",
            "does not hold.",
            "",
            "Examples:",
            "  brig bench --quick",
            "  brig bench --html bench.html --json bench.json",
            "  brig bench fan-out-ws --peers brig,nats --rounds 5",
            "  brig bench restart",
            "  brig bench keys",
            "  brig bench whole",
            "  brig bench adapters",
            "  brig bench route",
            "  brig bench walls",
            "  brig bench checkpoint",
            "  brig bench cluster",
            "  brig bench guard --baseline ../before/build/brig",
            "  ./gradlew :load-tests:run -Pargs='bench --quick'"
        })
final class Bench implements Callable<Integer> {
    @Parameters(paramLabel = "SCENARIO", arity = "0..*", description = "Only these; --list names them.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--list", description = "List scenarios and peers.")
    private boolean list;

    @Option(names = "--quick", description = "About two minutes: a choice of scenarios, one short round.")
    private boolean quick;

    @Option(names = "--peers", split = ",", description = "Only these.")
    private List<String> peerNames = new ArrayList<>();

    @Option(names = "--rounds", description = "Rounds instead of the profile's.")
    private int rounds;

    @Option(names = "--seconds", description = "Measured time of each run instead of the profile's.")
    private int seconds;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all results as JSON.")
    private @Nullable Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write a page with charts.")
    private @Nullable Path html;

    @Option(
            names = "--profile",
            paramLabel = "FOLDER",
            description = "Write a flame graph of Brig's gateway for each scenario, of its last round.")
    private @Nullable Path profile;

    @Option(names = "--server-core", description = "Core of the server.", defaultValue = "0")
    private int serverCore;

    @Option(names = "--generator-core", description = "Core of the generator.", defaultValue = "1")
    private int generatorCore;

    /** About as much as the page cache takes in a run. */
    private static final long TOUCHED_BYTES_MAX = 4L << 30;

    @Spec
    private @Nullable CommandSpec spec;

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final Path programs = Brig.home().resolve("lib/load-tests");

    @Override
    public Integer call() throws IOException {
        Suite suite = Suite.load();
        List<Peer> known = Peers.all(programs, profile);
        if (list) {
            suite.scenarios().forEach(scenario -> out.printf("%-20s %s%n", scenario.name(), scenario.says()));
            out.println(
                    "Peers: " + String.join(", ", known.stream().map(Peer::name).toList()));
            return 0;
        }
        check(suite, known);
        Profile extent = quick ? suite.quick() : suite.full();
        List<Scenario> scenarios = suite.scenarios().stream()
                .filter(scenario -> names.isEmpty() ? extent.has(scenario) : names.contains(scenario.name()))
                .map(extent::time)
                .map(scenario -> seconds == 0
                        ? scenario
                        : scenario.lasting(scenario.warmupMs(), scenario.jitWarmupMs(), seconds * 1000))
                .toList();
        List<Peer> wanted = known.stream()
                .filter(peer -> peerNames.isEmpty() ? extent.has(peer.name()) : peerNames.contains(peer.name()))
                .toList();
        List<String> absent = wanted.stream()
                .flatMap(peer -> peer.missing().stream().map(what -> "NOT COMPARED WITH " + peer.name() + ": " + what))
                .toList();
        Heading heading = Heading.now(commandLine(), absent);
        out.println(heading.machine());
        absent.forEach(line -> out.println("!! " + line));
        touchMemory();
        Results results = new Runner(
                        scenarios,
                        wanted.stream().filter(peer -> peer.missing().isEmpty()).toList(),
                        suite.bounds(),
                        rounds > 0 ? rounds : extent.rounds())
                .run(
                        programs,
                        new Site.Cores(serverCore, generatorCore),
                        new ProgressDisplay(out, ProgressDisplay.isTerminal()));
        out.println(Table.of(results));
        write(heading, results);
        return results.exitCode();
    }

    /**
     * A virtual machine gets memory from its host at first use, at the cost of whoever fills new pages: the page cache
     * behind Brig's recorder, but no other peer. It was a quarter of Brig's CPU in {@code many-ndjson}.
     */
    static void touchMemory() {
        var machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        try (Arena arena = Arena.ofConfined()) {
            var _ = arena.allocate(Math.min(TOUCHED_BYTES_MAX, machine.getFreeMemorySize() / 2))
                    .fill((byte) 1);
        }
    }

    private void check(Suite suite, List<Peer> known) {
        for (String name : names) {
            if (suite.scenario(name).isEmpty()) {
                throw refusal("no scenario '" + name + "'; bench --list names them");
            }
        }
        for (String name : peerNames) {
            if (known.stream().noneMatch(peer -> peer.name().equals(name))) {
                throw refusal("no peer '" + name + "'; bench --list names them");
            }
        }
        if (rounds < 0 || seconds < 0) {
            throw refusal("--rounds and --seconds cannot be negative");
        }
        int cores = Runtime.getRuntime().availableProcessors();
        if (serverCore == generatorCore || cores < 2) {
            throw refusal("server and generator need a core each, and this machine offers " + cores);
        }
        if (!Files.isExecutable(programs.resolve("brig-load"))) {
            throw refusal("the generator is not built: " + programs.resolve("brig-load"));
        }
    }

    private ParameterException refusal(String why) {
        if (spec == null) {
            throw new IllegalStateException(why);
        }
        return new ParameterException(spec.commandLine(), why);
    }

    private String commandLine() {
        return spec == null
                ? "bench"
                : "bench "
                        + String.join(" ", spec.commandLine().getParseResult().originalArgs());
    }

    private void write(Heading heading, Results results) throws IOException {
        if (json != null) {
            Files.write(json, JsonReport.of(heading, results).line());
            out.println("JSON: " + json);
        }
        if (html != null) {
            Files.writeString(html, HtmlReport.of(heading, results));
            out.println("Page: " + html);
        }
    }
}
