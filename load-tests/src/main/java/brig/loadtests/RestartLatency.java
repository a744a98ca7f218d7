package brig.loadtests;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.loadtests.product.ServeSettings;
import brig.protocol.StreamPosition;
import brig.protocol.api.SpawnAnswer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code brig bench restart}. */
@Command(
        name = "restart",
        description = "From kill -9 of the gateway to the next frame at each reader.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Agents write lines at a rate; each session has a reader (server-sent events), which",
            "checks the numbers of its frames. Each round kills the gateway and starts it again at",
            "once, as a supervisor does. One connection asks every 2 ms whether somebody listens;",
            "then all readers resume after their last frame.",
            "Exit code 1: a frame was lost or doubled.",
            "",
            "Example: brig bench restart --sessions 200 --rounds 5"
        })
final class RestartLatency implements Callable<Integer> {
    private static final String PACED = "paced";
    private static final long WORKERS_MAX = 1024;
    private static final long TRY_NANOS = 2_000_000;
    private static final long ROUND_SECONDS_MAX = 60;
    private static final String ID = "id: ";

    @Option(names = "--sessions", description = "Sessions, with a reader each.", defaultValue = "200")
    private int sessions;

    @Option(names = "--ended", description = "Sessions that ended before.", defaultValue = "0")
    private int ended;

    @Option(names = "--rate", description = "Lines a second of each agent.", defaultValue = "20")
    private int rate;

    @Option(names = "--rounds", description = "Kills.", defaultValue = "3")
    private int rounds;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final AtomicInteger faults = new AtomicInteger();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Report report = new Report(json);
        Map<String, AgentFile> agents = Map.of(
                PACED,
                AgentFile.installed(
                        "Writes lines at a rate",
                        List.of("{program}", "write", String.valueOf(rate), String.valueOf(Integer.MAX_VALUE)),
                        "lib/load-tests/brig-pace"));
        try (Brig brig = Brig.start(agents, ServeSettings.DEFAULTS.withWorkers(WORKERS_MAX))) {
            HttpWire.Place place = HttpWire.Place.unix(brig.httpSocket().toString());
            spawn(place, SpawnBody.of("shell").saying("true").endingAfterOne(), ended);
            List<SessionReader> readers = new ArrayList<>();
            for (String id : spawn(place, SpawnBody.of(PACED).saying("go"), sessions)) {
                readers.add(new SessionReader(place, id));
            }
            report.value("sessions", sessions + " x " + rate + " lines/s, " + ended + " ended before");
            resume(readers, System.nanoTime());
            report.row(List.of("round", "listens ms", "up ms", "p50 ms", "p99 ms", "max ms"));
            for (int round = 1; round <= rounds; round++) {
                round(brig, place, readers, report, round);
            }
        }
        report.value("faults", faults.get());
        report.finish();
        return faults.get() == 0 ? 0 : 1;
    }

    private static List<String> spawn(HttpWire.Place place, SpawnBody body, int count) throws IOException {
        List<String> ids = new ArrayList<>();
        byte[] request = place.request("POST", "/api/v1/spawns?wait=60s", body.text());
        try (HttpWire requests = place.connect()) {
            for (int i = 0; i < count; i++) {
                ids.add(requests.send(request).answer(201).as(SpawnAnswer.class).spawnId());
            }
        }
        return ids;
    }

    private void round(Brig brig, HttpWire.Place place, List<SessionReader> readers, Report report, int round)
            throws IOException, InterruptedException {
        CompletableFuture<ProcessHandle> killed =
                ProcessHandle.of(brig.pid()).orElseThrow().onExit();
        long start = System.nanoTime();
        CompletableFuture<Long> up = CompletableFuture.supplyAsync(() -> {
            try {
                brig.restart();
                return System.nanoTime();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        double listensMs;
        double[] sorted;
        try {
            for (SessionReader reader : readers) {
                reader.awaitCut();
            }
            // Until then its sockets may still be connected to.
            killed.join();
            awaitListener(place);
            listensMs = (System.nanoTime() - start) / 1e6;
            sorted = resume(readers, start);
        } finally {
            // Otherwise what is being started would be left behind.
            up.join();
        }
        double upMs = (up.join() - start) / 1e6;
        report.row(List.of(
                String.valueOf(round),
                Report.number(listensMs),
                Report.number(upMs),
                Report.number(Report.percentile(sorted, 50)),
                Report.number(Report.percentile(sorted, 99)),
                Report.number(sorted[sorted.length - 1])));
        report.keep("round" + round + ".listens_ms", listensMs);
        report.keep(
                "round" + round + ".first_frame_ms",
                Arrays.stream(sorted).boxed().toList());
    }

    private static void awaitListener(HttpWire.Place place) {
        while (true) {
            try {
                place.connect().close();
                return;
            } catch (IOException nobody) {
                LockSupport.parkNanos(TRY_NANOS);
            }
        }
    }

    /** Milliseconds from the start to the first frame of each reader, sorted. */
    private static double[] resume(List<SessionReader> readers, long start) throws InterruptedException, IOException {
        for (SessionReader reader : readers) {
            reader.resume();
        }
        double[] all = new double[readers.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = (readers.get(i).awaitFirst() - start) / 1e6;
        }
        Arrays.sort(all);
        return all;
    }

    /** Reads a stream on a thread of its own, until it is cut. */
    private final class SessionReader {
        private final HttpWire.Place place;
        private final String id;
        private volatile String last = "";
        private CompletableFuture<Long> first = new CompletableFuture<>();
        private CountDownLatch cut = new CountDownLatch(0);

        SessionReader(HttpWire.Place place, String id) {
            this.place = place;
            this.id = id;
        }

        void resume() {
            CompletableFuture<Long> mine = new CompletableFuture<>();
            CountDownLatch end = new CountDownLatch(1);
            first = mine;
            cut = end;
            Thread.startVirtualThread(() -> {
                while (!mine.isDone()) {
                    read(mine);
                }
                end.countDown();
            });
        }

        /** One connection, to its end. It may have been to the gateway that is being killed. */
        private void read(CompletableFuture<Long> told) {
            try (HttpWire stream = place.connect()) {
                stream.send(place.events("/api/v1/sessions/" + id + "/stream", last)).stream();
                while (true) {
                    handle(stream.line(), told);
                }
            } catch (IOException closed) {
                LockSupport.parkNanos(TRY_NANOS);
            }
        }

        private void handle(String line, CompletableFuture<Long> told) {
            if (!line.startsWith(ID)) {
                return;
            }
            told.complete(System.nanoTime());
            String before = last;
            last = line.substring(ID.length());
            if (!before.isEmpty() && number(before) + 1 != number(last)) {
                faults.incrementAndGet();
            }
        }

        private static long number(String id) {
            return StreamPosition.parse(id).orElseThrow().seq();
        }

        void awaitCut() throws InterruptedException, IOException {
            if (!cut.await(ROUND_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IOException("a connection outlived the gateway");
            }
        }

        long awaitFirst() throws InterruptedException, IOException {
            try {
                return first.get(ROUND_SECONDS_MAX, TimeUnit.SECONDS);
            } catch (ExecutionException | TimeoutException e) {
                throw new IOException("a reader got no frame", e);
            }
        }
    }
}
