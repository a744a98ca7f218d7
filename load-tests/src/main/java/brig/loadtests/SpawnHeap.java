package brig.loadtests;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code load-tests spawn-heap}.
 *
 * <p>Decision 0024.
 */
@Command(
        name = "spawn-heap",
        description = "The gateway's heap after many spawns of an agent that does nothing, and after as many again.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "A round is so many times POST /api/v1/spawns with a request_id of its own, to the end of all of them",
            "and of what the gateway keeps of them for a while; then what is reachable in its heap is counted. The first",
            "round fills what the gateway remembers on purpose: the newest 1000 spawns. Exit code 3 where the last",
            "round's heap is more than a tenth and 1 MiB above that of the round before.",
            "",
            "Example: ./gradlew :load-tests:run -Pargs='spawn-heap --spawns 1000'"
        })
final class SpawnHeap implements Callable<Integer> {
    /** Session sockets stay half a minute after their end. */
    private static final long LINGER_SECONDS = 31;

    private static final long ROUND_SECONDS_MAX = 600;
    private static final int EXIT_NOT_STEADY = 3;
    private static final long SLACK_BYTES = 1024 * 1024;

    @Option(names = "--spawns", description = "In each round.", defaultValue = "1000")
    private int spawns;

    @Option(names = "--rounds", description = "Rounds, the first one included.", defaultValue = "3")
    private int rounds;

    @Option(names = "--connections", description = "Captains that ask at once.", defaultValue = "4")
    private int connections;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final AtomicInteger number = new AtomicInteger();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Report report = new Report(json);
        List<Long> heaps = new ArrayList<>();
        AgentFile noop = AgentFile.perMessage("Does nothing", List.of("/bin/true"));
        try (Brig brig = Brig.start(Map.of("noop", noop))) {
            var place = HttpWire.Place.tcp("127.0.0.1", brig.port(), brig.adminToken());
            report.value("heap_bytes.start", brig.liveHeapBytes());
            report.row(List.of("round", "spawns", "seconds", "live heap KiB", "resident MiB"));
            for (int round = 1; round <= rounds; round++) {
                long start = System.nanoTime();
                run(place);
                double seconds = (System.nanoTime() - start) / 1e9;
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(LINGER_SECONDS));
                // Not the used heap: threads reserve room for new objects by their recent use. Twice: objects that need
                // cleanup are freed by the second collection.
                brig.collectHeap();
                heaps.add(brig.liveHeapBytes());
                report.row(List.of(
                        String.valueOf(round),
                        String.valueOf(spawns),
                        Report.number(seconds),
                        String.valueOf(heaps.getLast() / 1024),
                        String.valueOf(brig.residentBytes() >> 20)));
                report.value("heap_bytes.round" + round, heaps.getLast());
            }
        }
        long before = heaps.get(Math.max(0, heaps.size() - 2));
        boolean steady = heaps.getLast() <= before + before / 10 + SLACK_BYTES;
        report.value("steady", steady ? "yes" : "no");
        report.finish();
        return steady ? 0 : EXIT_NOT_STEADY;
    }

    private void run(HttpWire.Place place) throws IOException, InterruptedException {
        AtomicInteger left = new AtomicInteger(spawns);
        try (ExecutorService captains = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> running = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                running.add(captains.submit(() -> {
                    try (HttpWire wire = place.connect()) {
                        while (left.getAndDecrement() > 0) {
                            wire.send(place.request("POST", "/api/v1/spawns?wait=60s", body()))
                                    .answer(201);
                        }
                        return true;
                    }
                }));
            }
            for (Future<Boolean> captain : running) {
                captain.get(ROUND_SECONDS_MAX, TimeUnit.SECONDS);
            }
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("a round did not come to its end", e);
        }
        try (HttpWire wire = place.connect()) {
            while (!wire.send(place.request("GET", "/api/v1/sessions", ""))
                    .answer(200)
                    .objects("sessions")
                    .isEmpty()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
        }
    }

    private String body() {
        return SpawnBody.of("noop")
                .saying("")
                .endingAfterOne()
                .claimedAs("%08x-0000-4000-8000-000000000000".formatted(number.incrementAndGet()))
                .text();
    }
}
