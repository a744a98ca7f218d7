package brig.loadtests;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.json.Json;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code load-tests stalled-watcher}. */
@Command(
        name = "stalled-watcher",
        description = "An agent that writes like 'yes'; a captain reads all, a watcher stops for a while.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Starts the product itself, with private folders. The captain is on the session's",
            "Unix socket, the watcher reads server-sent events over TCP. After the given time the",
            "session is ended and the watcher goes on to the end of the stream. Exit code 1:",
            "something was lost without a word.",
            "",
            "Example: ./gradlew :load-tests:run -Pargs='stalled-watcher --seconds 30'"
        })
final class StalledWatcher implements Callable<Integer> {
    private static final long WATCHED_FIRST_BYTES = 8L * 1024 * 1024;
    private static final long CATCH_UP_SECONDS_MAX = 300;
    private static final double MIB = 1024.0 * 1024;

    @Option(names = "--seconds", description = "How long the watcher does not read.", defaultValue = "30")
    private int seconds;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException, TimeoutException {
        Report report = new Report(json);
        String body = SpawnBody.of("shell")
                .saying("yes 'the quick brown fox jumps over the lazy dog'")
                .text();
        try (Brig brig = Brig.start()) {
            HttpWire.Place place = HttpWire.Place.tcp("127.0.0.1", brig.port(), brig.adminToken());
            try (HttpWire requests = place.connect();
                    HttpWire events = place.connect();
                    SocketChannel io = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                SpawnAnswer spawned = requests.send(place.request("POST", "/api/v1/spawns?wait=60s", body))
                        .answer(201)
                        .as(SpawnAnswer.class);
                String id = spawned.spawnId();
                io.connect(UnixDomainSocketAddress.of(spawned.ioSocket()));
                send(io, new CaptainLine.Auth(spawned.authToken(), AttachOptions.NONE));
                events.send(place.request("GET", "/api/v1/sessions/" + id + "/stream", "")).stream();
                return observe(brig, io, events, report);
            }
        }
    }

    private int observe(Brig brig, SocketChannel io, HttpWire events, Report report)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        Follower captain = new Follower(Channels.newInputStream(io));
        Follower watcher = new Follower(events.input());
        Samples samples = new Samples(brig, captain, watcher, report);
        var captainDone = start(() -> captain.read(Long.MAX_VALUE));
        var watched = start(() -> watcher.read(WATCHED_FIRST_BYTES));
        watched.get(CATCH_UP_SECONDS_MAX, TimeUnit.SECONDS);
        samples.row("reading");
        samples.rows("stalled", seconds);
        send(io, new CaptainLine.Terminate());
        captainDone.get(CATCH_UP_SECONDS_MAX, TimeUnit.SECONDS);
        var watcherDone = start(() -> watcher.read(Long.MAX_VALUE));
        samples.rowsUntil("catching up", watcherDone, CATCH_UP_SECONDS_MAX);
        watcherDone.get(CATCH_UP_SECONDS_MAX, TimeUnit.SECONDS);
        samples.row("after");
        samples.keep();
        return judge(captain, watcher, report);
    }

    private static int judge(Follower captain, Follower watcher, Report report) {
        report.value("captain_frames", captain.frames());
        report.value("captain_mib", captain.bytes() / MIB);
        report.value("watcher_frames", watcher.frames());
        report.value("watcher_missing_told", watcher.missing());
        report.value(
                "watcher_told",
                watcher.notices().isEmpty()
                        ? "nothing: it got every frame"
                        : watcher.notices().toString());
        List<String> faults = Stream.of(
                        captain.fault(),
                        watcher.fault(),
                        captain.missing() > 0 ? "the captain has a gap: " + captain.notices() : null,
                        captain.next() == watcher.next() ? null : "the watcher ended at " + watcher.next())
                .filter(Objects::nonNull)
                .map(String::valueOf)
                .toList();
        report.value("lost_silently", faults.isEmpty() ? "nothing" : faults.toString());
        report.finish();
        return faults.isEmpty() ? 0 : 1;
    }

    private interface Reading {
        Object run() throws IOException;
    }

    private static CompletableFuture<Void> start(Reading reading) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                reading.run();
                done.complete(null);
            } catch (IOException | RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    private static void send(SocketChannel channel, Record line) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(Json.writeLine(line));
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
    }
}
