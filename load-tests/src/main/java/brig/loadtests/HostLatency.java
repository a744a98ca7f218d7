package brig.loadtests;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.client.WorkerPlace;
import brig.loadtests.product.HttpWire;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code load-tests host}. */
@Command(
        name = "host",
        description = "What it costs to run on another host: spawns, frames, one fast stream, many paced ones.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Needs a gateway that runs, with that host, whose clock must be this one's: a host on",
            "loopback. Spawns and frames are measured here and there in turn. Beside the paced",
            "streams runs a fast one whose captain does not read; they must not be late.",
            "",
            "Example: ./gradlew :load-tests:run -Pargs='host --socket /run/brig/http.sock --host build1'"
        })
final class HostLatency implements Callable<Integer> {
    private static final double MIB = 1024.0 * 1024;
    private static final double MS_PER_SECOND = 1e3;
    private static final int LINES_A_SECOND = 50;
    private static final int TEXT_BYTES = 4_000;
    private static final String TERMINATED = "\"state\":\"terminated\"";
    /** Prints the time of each line, fifty a second. */
    private static final String PACED =
            "exec perl -MTime::HiRes=time,sleep -e '$|=1; for (1..%d) { printf \"at %%.6f\\n\", time; sleep 0.02 }'";

    private static final Pattern AT = Pattern.compile("at (\\d+\\.\\d+)");

    @Option(names = "--url", description = "The gateway; needs --token.")
    private @Nullable URI url;

    @Option(names = "--token", description = "Its admin token: brig token.")
    private @Nullable String token;

    @Option(names = "--socket", description = "Its HTTP socket instead, where the uid needs no token.")
    private @Nullable String socket;

    @Option(names = "--host", paramLabel = "NAME", required = true, description = "The other host.")
    private String host = "";

    @Option(names = "--runs", description = "Spawns on each host.", defaultValue = "20")
    private int runs;

    @Option(names = "--streams", description = "Paced streams at once.", defaultValue = "100")
    private int streams;

    @Option(names = "--seconds", description = "How long streams run.", defaultValue = "10")
    private int seconds;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        HttpWire.Place place = socket != null
                ? HttpWire.Place.unix(socket)
                : HttpWire.Place.tcp(
                        url == null ? "127.0.0.1" : url.getHost(), url == null ? 7070 : url.getPort(), token);
        Report report = new Report(json);
        spawns(place, report);
        frames(place, report);
        report.value("fast_stream_here_mib_s", throughput(place, null));
        report.value("fast_stream_there_mib_s", throughput(place, host));
        paced(place, report);
        report.finish();
        return 0;
    }

    private static SpawnBody body(@Nullable String where, String script) {
        return SpawnBody.of("shell").saying(script).endingAfterOne().on(new WorkerPlace(where, null));
    }

    private static SpawnAnswer spawn(HttpWire requests, HttpWire.Place place, SpawnBody body) throws IOException {
        return requests.send(place.request("POST", "/api/v1/spawns?wait=60s", body.text()))
                .answer(201)
                .as(SpawnAnswer.class);
    }

    private static HttpWire stream(HttpWire.Place place, SpawnAnswer spawned) throws IOException {
        return place
                .connect()
                .send(place.request("GET", "/api/v1/sessions/" + spawned.spawnId() + "/stream", ""))
                .stream();
    }

    private void spawns(HttpWire.Place place, Report report) throws IOException {
        double[] here = new double[runs];
        double[] there = new double[runs];
        try (HttpWire requests = place.connect()) {
            spawnMs(place, requests, null);
            spawnMs(place, requests, host);
            for (int i = 0; i < runs; i++) {
                here[i] = spawnMs(place, requests, null);
                there[i] = spawnMs(place, requests, host);
            }
        }
        summarize(report, "spawn_here_ms", here);
        summarize(report, "spawn_there_ms", there);
    }

    /** Milliseconds to the first chunk. */
    private static double spawnMs(HttpWire.Place place, HttpWire requests, @Nullable String where) throws IOException {
        long start = System.nanoTime();
        try (HttpWire stream = stream(place, spawn(requests, place, body(where, "echo hi")))) {
            while (!stream.line().startsWith("data: {\"type\":\"chunk\"")) {
                // read on
            }
        }
        return (System.nanoTime() - start) / 1e6;
    }

    private void frames(HttpWire.Place place, Report report) throws IOException {
        String script = PACED.formatted(LINES_A_SECOND * seconds);
        try (HttpWire requests = place.connect();
                HttpWire here = stream(place, spawn(requests, place, body(null, script)));
                HttpWire there = stream(place, spawn(requests, place, body(host, script)))) {
            CompletableFuture<double[]> near = CompletableFuture.supplyAsync(() -> delays(here));
            double[] far = delays(there);
            summarize(report, "frame_here_ms", near.join());
            summarize(report, "frame_there_ms", far);
        }
    }

    /** Milliseconds from each printed time to its arrival, to the end of the stream. */
    private static double[] delays(HttpWire stream) {
        List<Double> delays = new ArrayList<>();
        try {
            for (String line = stream.line(); !line.contains(TERMINATED); line = stream.line()) {
                double nowMs = nowMs();
                for (Matcher at = AT.matcher(line); at.find(); ) {
                    delays.add(nowMs - Double.parseDouble(at.group(1)) * MS_PER_SECOND);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return delays.stream().mapToDouble(delay -> delay).toArray();
    }

    /** The time of day with microseconds, as the agent prints it. */
    private static double nowMs() {
        Instant now = Instant.now();
        return now.getEpochSecond() * MS_PER_SECOND + now.getNano() / 1e6;
    }

    /** MiB of frames in a second, of an agent that writes as fast as it can. */
    private double throughput(HttpWire.Place place, @Nullable String where) throws IOException {
        try (HttpWire requests = place.connect()) {
            SpawnAnswer spawned =
                    spawn(requests, place, body(where, "exec timeout " + seconds + " yes " + "x".repeat(TEXT_BYTES)));
            try (HttpWire stream = stream(place, spawned)) {
                long start = System.nanoTime();
                Follower follower = new Follower(stream.input()).read(Long.MAX_VALUE);
                if (follower.fault() != null) {
                    throw new IOException(follower.fault());
                }
                return follower.bytes() / MIB / ((System.nanoTime() - start) / 1e9);
            }
        }
    }

    /** Beside a fast stream whose captain does not read. */
    private void paced(HttpWire.Place place, Report report) throws IOException {
        List<HttpWire> readers = new ArrayList<>();
        SpawnBody body = body(host, PACED.formatted(LINES_A_SECOND * seconds));
        try (HttpWire requests = place.connect();
                SocketChannel stalled = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            SpawnAnswer fast = spawn(requests, place, body(host, "exec timeout " + seconds + " yes"));
            stalled.connect(UnixDomainSocketAddress.of(fast.ioSocket()));
            stalled.write(ByteBuffer.wrap(Json.writeLine(new CaptainLine.Auth(fast.authToken(), AttachOptions.NONE))));
            List<CompletableFuture<double[]>> read = new ArrayList<>();
            for (int i = 0; i < streams; i++) {
                HttpWire reader = stream(place, spawn(requests, place, body));
                readers.add(reader);
                read.add(CompletableFuture.supplyAsync(() -> delays(reader), Thread::startVirtualThread));
            }
            double[] all = read.stream()
                    .flatMapToDouble(delays -> Arrays.stream(delays.join()))
                    .toArray();
            summarize(report, "paced_frame_ms", all);
        } finally {
            for (HttpWire reader : readers) {
                reader.close();
            }
        }
    }

    private static void summarize(Report report, String name, double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        report.value(name + ".median", Report.percentile(sorted, 50));
        report.value(name + ".p99", Report.percentile(sorted, 99));
        report.value(name + ".max", sorted[sorted.length - 1]);
    }
}
