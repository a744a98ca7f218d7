package brig.loadtests;

import brig.loadtests.chaos.Chaos;
import brig.loadtests.conformance.Conformance;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The CLI of the load tests, also started by {@code brig bench} and {@code brig conformance}. Exit codes: 0 success, 1
 * something was lost or did not work, 2 wrong usage, 3 a bound does not hold.
 */
@Command(
        name = "load-tests",
        description = "Measures Brig from outside, as its clients see it.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            Bench.class,
            AdapterCosts.class,
            ApiLatency.class,
            Chaos.class,
            Conformance.class,
            EgressLatency.class,
            HostLatency.class,
            SpawnHeap.class,
            SpawnLatency.class,
            WallLatency.class,
            RestartLatency.class,
            RouteLatency.class,
            WholePath.class,
            StalledWatcher.class
        },
        footer = {
            "",
            "From the build:",
            "  ./gradlew :load-tests:run -Pargs='bench --quick'",
            "  ./gradlew :load-tests:run -Pargs='adapters --agents claude --speeds 10'",
            "  ./gradlew :load-tests:run -Pargs='conformance'",
            "  ./gradlew :load-tests:run -Pargs='chaos --minutes 10'",
            "  ./gradlew :load-tests:run -Pargs='api-latency'",
            "  ./gradlew :load-tests:run -Pargs='egress'",
            "  ./gradlew :load-tests:run -Pargs='host --socket /run/brig/http.sock --host build1'",
            "  ./gradlew :load-tests:run -Pargs='spawn-latency --runs 50'",
            "  ./gradlew :load-tests:run -Pargs='spawn-heap'",
            "  ./gradlew :load-tests:run -Pargs='wall --runs 100'",
            "  ./gradlew :load-tests:run -Pargs='whole'",
            "  ./gradlew :load-tests:run -Pargs='stalled-watcher --seconds 30'"
        })
public final class LoadTests {
    private static final int USAGE_COLUMNS = 110;

    private LoadTests() {}

    /** Runs a scenario and exits with its code. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new LoadTests())
                .setCommandName(System.getProperty("brig.command", "load-tests"))
                .setUsageHelpWidth(USAGE_COLUMNS)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }
}
