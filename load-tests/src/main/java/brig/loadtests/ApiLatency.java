package brig.loadtests;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.protocol.api.SpawnAnswer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code load-tests api-latency}. */
@Command(
        name = "api-latency",
        description = "The HTTP interface at a fixed rate while real walled workers stream.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Each worker says something five times a second to one reader of server-sent events. The requests are views",
            "of the status, of all sessions and of one spawn, in turn. A latency counts from the time that",
            "the request was due. Exit code 3 where p99 is above 20 ms.",
            "",
            "Example: ./gradlew :load-tests:run -Pargs='api-latency --seconds 30'"
        })
final class ApiLatency implements Callable<Integer> {
    private static final double P99_MS_MAX = 20;
    private static final int EXIT_TOO_SLOW = 3;
    private static final int CONNECTIONS = 10;
    private static final int WARMUP_SECONDS = 10;
    private static final AgentFile TALKER = AgentFile.perMessage(
            "Says something five times a second",
            List.of(
                    "/usr/bin/perl",
                    "-e",
                    "$| = 1; while (1) { print \"token\\n\"; select(undef, undef, undef, 0.2) }"));

    @Option(names = "--streams", description = "Workers.", defaultValue = "100")
    private int streams;

    @Option(names = "--rate", description = "Requests a second.", defaultValue = "50")
    private int rate;

    @Option(names = "--seconds", description = "Measured time.", defaultValue = "30")
    private int seconds;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final Histogram latenciesUs = new ConcurrentHistogram(3);

    @Override
    public Integer call() throws IOException, InterruptedException {
        Report report = new Report(json);
        // The product is closed first, which ends the readers that the threads wait for.
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Brig brig = Brig.start(Map.of("talker", TALKER))) {
            var place = HttpWire.Place.tcp("127.0.0.1", brig.port(), brig.adminToken());
            String spawnId = "";
            try (HttpWire wire = place.connect()) {
                for (int i = 0; i < streams; i++) {
                    spawnId = wire.send(place.request(
                                    "POST",
                                    "/api/v1/spawns?wait=60s",
                                    SpawnBody.of("talker").saying("go").text()))
                            .answer(201)
                            .as(SpawnAnswer.class)
                            .spawnId();
                    HttpWire reader = place
                            .connect()
                            .send(place.request("GET", "/api/v1/sessions/" + spawnId + "/stream", ""))
                            .stream();
                    var _ = threads.submit(() -> reader.input().transferTo(OutputStream.nullOutputStream()));
                }
            }
            List<byte[]> requests = List.of(
                    place.request("GET", "/api/v1/status", ""),
                    place.request("GET", "/api/v1/sessions", ""),
                    place.request("GET", "/api/v1/spawns/" + spawnId, ""));
            ask(place, requests, threads, WARMUP_SECONDS);
            latenciesUs.reset();
            ask(place, requests, threads, seconds);
        }
        double p99Ms = latenciesUs.getValueAtPercentile(99) / 1e3;
        report.value("requests", latenciesUs.getTotalCount());
        report.value("p50_ms", Report.number(latenciesUs.getValueAtPercentile(50) / 1e3));
        report.value("p99_ms", Report.number(p99Ms));
        report.value("max_ms", Report.number(latenciesUs.getMaxValue() / 1e3));
        report.finish();
        return p99Ms <= P99_MS_MAX ? 0 : EXIT_TOO_SLOW;
    }

    private void ask(HttpWire.Place place, List<byte[]> requests, ExecutorService threads, int askedSeconds)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        List<Future<Boolean>> askers = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            int first = i;
            askers.add(threads.submit(() -> {
                try (HttpWire wire = place.connect()) {
                    for (int n = first; n < rate * askedSeconds; n += CONNECTIONS) {
                        long due = start + n * TimeUnit.SECONDS.toNanos(1) / rate;
                        while (System.nanoTime() < due) {
                            LockSupport.parkNanos(due - System.nanoTime());
                        }
                        wire.send(requests.get(n % requests.size())).answer(200);
                        latenciesUs.recordValue((System.nanoTime() - due) / 1000);
                    }
                    return true;
                }
            }));
        }
        for (Future<Boolean> asker : askers) {
            try {
                asker.get();
            } catch (ExecutionException e) {
                throw new IOException("a request was not answered", e);
            }
        }
    }
}
