package brig.loadtests.chaos;

import brig.loadtests.conformance.Product;
import brig.loadtests.report.Machine;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Flat;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code load-tests chaos}.
 *
 * <p>Decision 0043.
 */
@Command(
        name = "chaos",
        description =
                "Kills parts of Brig, and spoils its disk, under readers and captains that come and go: nothing may be lost, doubled or untold.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Starts the product itself, with private folders. The gateway, the worker-agent and both are killed at random. As",
            "root its state folder is a small file system in a mount namespace of its own, which is also full, or read-only,",
            "for seconds. Readers are on all four ways in; one of each session's is its captain, who sends messages and, where",
            "they were not taken, sends them again. Exit code 1: something was lost, doubled or not told.",
            "",
            "Examples:",
            "  ./gradlew :load-tests:run -Pargs='chaos --minutes 10'",
            "  ./gradlew :load-tests:run -Pargs='chaos --minutes 1 --workers 8 --json'"
        })
public final class Chaos implements Callable<Integer> {
    private static final int SECONDS_PER_MINUTE = 60;

    @Option(names = "--minutes", description = "How long, in minutes.", defaultValue = "10")
    private int minutes;

    @Option(names = "--workers", description = "Workers at once.", defaultValue = "50")
    private int workers;

    @Option(names = "--readers", description = "Readers of each.", defaultValue = "4")
    private int readers;

    @Option(names = "--seed", description = "What chance begins with; the report names it.")
    private long seed = System.nanoTime();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        boolean mayMount = Product.mayMount();
        Storm.Outcome outcome;
        try (Product product = mayMount ? Product.onSmallDisk() : Product.patient()) {
            outcome = run(product, mayMount ? Storm.ALL : Storm.KILLS);
        }
        if (json) {
            ChaosReport report = new ChaosReport(Machine.line(), seed, outcome.report());
            out.println(new String(Json.write(report), StandardCharsets.UTF_8));
        }
        return outcome.isWell() ? 0 : 1;
    }

    /**
     * The {@code --json} output.
     *
     * @param seed the seed of the random numbers
     */
    private record ChaosReport(
            String machine, long seed, @Flat StormReport storm) {}

    private Storm.Outcome run(Product product, List<Storm.Fault> faults)
            throws IOException, InterruptedException, ExecutionException {
        Storm.Plan plan = new Storm.Plan(workers, readers, (long) minutes * SECONDS_PER_MINUTE, seed, faults);
        Storm.Outcome outcome = new Storm(product, plan, this::say).run();
        JsonObject seen = JsonObject.of(outcome.report());
        seen.names().forEach(what -> say("%-22s %s".formatted(what, seen.value(what))));
        return outcome;
    }

    private void say(String line) {
        if (!json) {
            out.println(line);
        }
    }
}
