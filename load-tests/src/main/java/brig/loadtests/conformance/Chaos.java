package brig.loadtests.conformance;

import brig.loadtests.report.Machine;
import brig.protocol.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code load-tests chaos}. */
@Command(
        name = "chaos",
        description = "Kills parts of Brig, and fills its disk, under readers that come and go: nothing may be lost, doubled or untold.",
        mixinStandardHelpOptions = true,
        footer = {"",
            "Starts the product itself, with private folders, twice: first the gateway, the worker-agent and both are",
            "killed at random; then its state folder, a small file system in a mount namespace of its own, is full again",
            "and again (as root only; a fifth of the time). Readers are on all four ways in. Exit code 1: something was",
            "lost, doubled or not told.",
            "",
            "Examples:",
            "  ./gradlew :load-tests:run -Pargs='chaos --minutes 10'",
            "  ./gradlew :load-tests:run -Pargs='chaos --minutes 1 --workers 8 --json'"})
public final class Chaos implements Callable<Integer> {
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int PARTS = 5;

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
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("machine", Machine.line());
        object.put("seed", seed);
        long seconds = (long) minutes * SECONDS_PER_MINUTE;
        boolean mayMount = Product.mayMount();
        long full = mayMount ? seconds / PARTS : 0;
        boolean well;
        try (Product product = Product.patient()) {
            well = run(product, seconds - full, List.of(Storm.Fault.GATEWAY, Storm.Fault.WORKER_AGENT, Storm.Fault.BOTH,
                    Storm.Fault.GATEWAY, Storm.Fault.GATEWAY), "kills", object);
        }
        if (mayMount) {
            try (Product product = Product.onSmallDisk()) {
                well &= run(product, full, List.of(Storm.Fault.FULL_DISK, Storm.Fault.FULL_DISK,
                        Storm.Fault.WORKER_AGENT),
                        "full_disk", object);
            }
        }
        if (json) {
            out.println(new String(Json.write(object), StandardCharsets.UTF_8));
        }
        return well ? 0 : 1;
    }

    private boolean run(Product product, long seconds, List<Storm.Fault> faults, String name, Map<String,
            Object> object)
            throws IOException, InterruptedException, ExecutionException {
        Storm.Outcome outcome = new Storm(product, new Storm.Plan(workers, readers, seconds, seed, faults), this::say)
                .run();
        object.put(name, outcome.toMap());
        outcome.toMap().forEach((what, value) -> say("%-10s %-20s %s".formatted(name, what, value)));
        return outcome.isWell();
    }

    private void say(String line) {
        if (!json) {
            out.println(line);
        }
    }
}
