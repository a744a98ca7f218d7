package brig.loadtests;

import brig.loadtests.bench.Outcome;
import brig.loadtests.bench.Run;
import brig.loadtests.bench.Runner;
import brig.loadtests.engine.Engine.Progress;
import brig.loadtests.guard.GuardReport;
import brig.loadtests.guard.Measurements;
import brig.loadtests.guard.Measurements.Side;
import brig.loadtests.peers.BrigPeer;
import brig.loadtests.peers.Peer;
import brig.loadtests.peers.Site;
import brig.loadtests.product.Brig;
import brig.loadtests.product.JvmOptions;
import brig.loadtests.product.ServeSettings;
import brig.loadtests.report.Heading;
import brig.loadtests.report.ProgressDisplay;
import brig.loadtests.suite.Profile;
import brig.loadtests.suite.Scenario;
import brig.loadtests.suite.Suite;
import brig.loadtests.whole.Load;
import brig.loadtests.whole.Paced;
import brig.loadtests.whole.Sessions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code brig bench guard}.
 *
 * <p>Decision 0176.
 */
@Command(
        name = "guard",
        description = "Whether this product is worse than an earlier one, on this machine, in rounds by turns.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "A figure is worse if the median of the ratios within the rounds is beyond the tolerance,",
            "and if so many rounds agree as chance brings about at most once in 16 times: 4 of 4, 5",
            "of 5, 6 of 7, 8 of 10. Runs in which the machine had other work do not count.",
            "",
            "Exit code 3: a figure is worse; 1: something was lost or did not work, or fewer than",
            "four rounds of a figure count; 0: neither.",
            "",
            "Example:",
            "  brig bench guard --baseline ../before/build/brig --rounds 7"
        })
final class Guard implements Callable<Integer> {
    private static final int PERCENT = 100;
    private static final int STREAMS = 100;
    private static final int RATE = 50;
    private static final int READERS = 2;
    private static final int WHOLE_WARM_UP_SECONDS = 10;
    private static final int WHOLE_SECONDS = 10;

    @Parameters(
            paramLabel = "SCENARIO",
            arity = "0..*",
            description = "Only these, of many-ndjson, paced-sse and whole.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--baseline", paramLabel = "FOLDER", description = "The earlier product.", required = true)
    private @Nullable Path baseline;

    @Option(names = "--rounds", description = "Rounds, at least 4.", defaultValue = "5")
    private int rounds;

    @Option(names = "--tolerance", description = "A figure may be that much worse.", defaultValue = "10%")
    private String tolerance = "";

    @Option(names = "--seconds", description = "Measured time of each run instead of 4 and, for the whole path, 10.")
    private int seconds;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result as JSON.")
    private @Nullable Path json;

    @Spec
    private @Nullable CommandSpec spec;

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final Measurements measured = new Measurements();

    @Override
    public Integer call() throws IOException {
        Path before = check();
        double share = share();
        Heading heading = Heading.now("bench guard", List.of());
        out.println(heading.machine());
        Bench.touchMemory();
        bench(before);
        for (int round = 1; round <= rounds && isWanted(Measurements.WHOLE); round++) {
            whole(before, round);
        }
        GuardReport report = GuardReport.of(heading, before, share, rounds, measured);
        out.println();
        out.print(GuardReport.table(measured, share));
        if (json != null) {
            Files.write(json, report.line());
        }
        return report.exitCode();
    }

    private Path check() {
        if (baseline == null || !Files.isExecutable(Brig.program(baseline))) {
            throw refusal("no product is in " + baseline);
        }
        List<String> known = Stream.concat(Suite.load().guard().scenarios().stream(), Stream.of(Measurements.WHOLE))
                .toList();
        if (!known.containsAll(names)) {
            throw refusal("there are the scenarios " + String.join(", ", known));
        }
        if (rounds < 4 || seconds < 0) {
            throw refusal("--rounds is at least 4, and --seconds not negative");
        }
        return baseline.toAbsolutePath();
    }

    private boolean isWanted(String scenario) {
        return names.isEmpty() || names.contains(scenario);
    }

    private double share() {
        try {
            return Double.parseDouble(tolerance.replace("%", "")) / PERCENT;
        } catch (NumberFormatException e) {
            throw refusal("--tolerance is a number of percent, such as 10%");
        }
    }

    private ParameterException refusal(String why) {
        if (spec == null) {
            throw new IllegalStateException(why);
        }
        return new ParameterException(spec.commandLine(), why);
    }

    private static Path home(Side side, Path before) {
        return side == Side.BASELINE ? before : Brig.home();
    }

    private void bench(Path before) {
        Suite suite = Suite.load();
        Profile extent = suite.guard();
        List<Peer> peers = Arrays.stream(Side.values())
                .<Peer>map(side -> new BrigPeer(side.word(), home(side, before), null))
                .toList();
        List<Scenario> scenarios = suite.scenarios().stream()
                .filter(scenario -> extent.has(scenario) && isWanted(scenario.name()))
                .map(extent::time)
                .map(scenario -> seconds == 0
                        ? scenario
                        : scenario.lasting(scenario.warmupMs(), scenario.jitWarmupMs(), seconds * 1000))
                .map(scenario -> scenario.among(peers.stream().map(Peer::name).toList()))
                .toList();
        new Runner(scenarios, peers, List.of(), rounds)
                .run(
                        Brig.home().resolve("lib/load-tests"),
                        new Site.Cores(0, 1),
                        new Counting(new ProgressDisplay(out, ProgressDisplay.isTerminal())));
    }

    /** Takes in each run as it ends. */
    private final class Counting implements Runner.Listener {
        private final Runner.Listener display;

        private Counting(Runner.Listener display) {
            this.display = display;
        }

        @Override
        public void handleStart(int number, int total, String label, long expectedMs) {
            display.handleStart(number, total, label, expectedMs);
        }

        @Override
        public void handleProgress(Progress progress) {
            display.handleProgress(progress);
        }

        @Override
        public void handleEnd(Run run, Scenario scenario) {
            display.handleEnd(run, scenario);
            measured.add(run.peer().equals(Side.THIS.word()) ? Side.THIS : Side.BASELINE, run);
        }
    }

    private void whole(Path before, int round) {
        List<Side> order = Arrays.asList(Side.values());
        for (Side side : round % 2 == 1 ? order : order.reversed()) {
            String label = Measurements.WHOLE + " " + side.word() + " round " + round;
            try {
                Paced paced = whole(home(side, before));
                boolean counts = measured.add(side, round, paced);
                out.println(label + (counts ? "" : ": " + Outcome.VOID));
                if (!counts) {
                    measured.add(side, round, whole(home(side, before)));
                }
            } catch (IOException | RuntimeException e) {
                out.println(label + ": " + Outcome.BROKEN);
                measured.addFault(side, Measurements.WHOLE, round, Outcome.BROKEN + " " + e.getMessage());
            }
        }
    }

    private Paced whole(Path home) throws IOException {
        Load load = new Load(STREAMS, RATE, READERS, WHOLE_WARM_UP_SECONDS, seconds == 0 ? WHOLE_SECONDS : seconds);
        Brig.Launch launch =
                new Brig.Launch(home, ServeSettings.DEFAULTS.withWorkers(STREAMS + 1L), List.of(), JvmOptions.NONE);
        try (Brig brig = Brig.start(Sessions.agents(RATE), launch)) {
            return Sessions.measure(brig, load);
        }
    }
}
