package brig.loadtests;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.client.Wire;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code brig bench keys}. */
@Command(
        name = "keys",
        description = "From a keystroke to its echo at an agent's terminal, beside a pseudo-terminal without Brig.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Behind both is cat on a raw terminal. The keystroke goes over the session's socket, through gateway,",
            "worker-agent and the wall to the program, and its echo comes back as a frame. Keystrokes of both take turns, one",
            "at a time, each at the time that it is due. Exit code 3: p99 is more than 5 ms above the pseudo-terminal's.",
            "",
            "Example: brig bench keys --keys 5000"
        })
final class KeyLatency implements Callable<Integer> {
    private static final double P99_MS_MAX = 5;
    private static final int EXIT_TOO_SLOW = 3;
    private static final int EXIT_FAILED = 1;
    private static final long PATIENCE_MS = 30_000;
    private static final String READY = "ready";
    private static final List<String> ECHO = List.of("/bin/sh", "-c", "stty raw -echo; echo " + READY + "; exec cat");
    private static final String PROFILE =
            "{\"description\":\"Echoes keys\",\"command\":[\"/bin/cat\"],\"policy\":\"build\","
                    + "\"tty\":{\"argv\":[\"/bin/sh\",\"-c\",\"stty raw -echo; echo " + READY + "; exec cat\"]}}";
    private static final int PERCENTILES_BEHIND_POINT = 3;

    @Option(names = "--keys", description = "Measured keystrokes of each.", defaultValue = "3000")
    private int keys;

    @Option(names = "--warm-up", description = "Keystrokes before, which do not count.", defaultValue = "5000")
    private int warmUps;

    @Option(names = "--rate", description = "Keystrokes a second.", defaultValue = "200")
    private int rate;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    /** Sends one key, and waits for its echo. */
    private interface Echo {
        void press(char key) throws IOException;
    }

    @Override
    public Integer call() throws IOException {
        Report report = new Report(json);
        Histogram product = new Histogram(PERCENTILES_BEHIND_POINT);
        Histogram plain = new Histogram(PERCENTILES_BEHIND_POINT);
        try (Brig brig = Brig.start(Map.of(), Map.of("echo.json", PROFILE), Brig.Launch.PLAIN);
                PlainTerminal terminal = PlainTerminal.start(ECHO);
                Wire wire = attach(brig)) {
            terminal.awaitText(READY);
            awaitText(wire, READY);
            Echo beyond = key -> press(wire, key);
            press(List.of(beyond, terminal::press), List.of(product, plain), warmUps);
            product.reset();
            plain.reset();
            press(List.of(beyond, terminal::press), List.of(product, plain), keys);
        } catch (IllegalStateException failure) {
            report.say(String.valueOf(failure.getMessage()));
            return EXIT_FAILED;
        }
        report.value("keys", keys);
        tell(report, "plain", plain);
        tell(report, "brig", product);
        double above = p99Ms(product) - p99Ms(plain);
        report.value("above_plain_p99_ms", Report.precise(above));
        report.finish();
        return above <= P99_MS_MAX ? 0 : EXIT_TOO_SLOW;
    }

    private static double p99Ms(Histogram nanos) {
        return nanos.getValueAtPercentile(99) / 1e6;
    }

    private static void tell(Report report, String name, Histogram nanos) {
        report.value(name + "_p50_ms", Report.precise(nanos.getValueAtPercentile(50) / 1e6));
        report.value(name + "_p99_ms", Report.precise(p99Ms(nanos)));
        report.value(name + "_max_ms", Report.precise(nanos.getMaxValue() / 1e6));
    }

    private void press(List<Echo> echoes, List<Histogram> latencies, int count) throws IOException {
        long stepNanos = TimeUnit.SECONDS.toNanos(1) / rate;
        long due = System.nanoTime();
        for (int i = 0; i < count; i++) {
            for (int at = 0; at < echoes.size(); at++) {
                due = Math.max(due + stepNanos, System.nanoTime());
                while (System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                long pressed = System.nanoTime();
                echoes.get(at).press((char) ('a' + i % 26));
                latencies.get(at).recordValue(System.nanoTime() - pressed);
            }
        }
    }

    private static Wire attach(Brig brig) throws IOException {
        var place = HttpWire.Place.tcp("127.0.0.1", brig.port(), brig.adminToken());
        SpawnAnswer spawned;
        try (HttpWire requests = place.connect()) {
            JsonObject body = JsonObject.read(SpawnBody.of("echo").text().getBytes(StandardCharsets.UTF_8))
                    .with("tty", true);
            spawned = requests.send(place.request(
                            "POST", "/api/v1/spawns?wait=60s", new String(Json.write(body), StandardCharsets.UTF_8)))
                    .answer(201)
                    .as(SpawnAnswer.class);
        }
        Wire wire = new Wire(UnixDomainSocketAddress.of(spawned.ioSocket()), PATIENCE_MS, 0);
        wire.send(Json.writeLine(new CaptainLine.Auth(spawned.authToken(), AttachOptions.NONE)));
        return wire;
    }

    private static void press(Wire wire, char key) throws IOException {
        wire.send(Json.writeLine(new CaptainLine.Keys(String.valueOf(key))));
        awaitText(wire, String.valueOf(key));
    }

    /** Reads to the end of the frame in which the terminal got that. */
    private static void awaitText(Wire wire, String text) throws IOException {
        while (true) {
            byte[] line = wire.line();
            if (line == null) {
                throw new IllegalStateException("the session ended before its terminal showed '" + text + "'");
            }
            JsonObject frame = JsonObject.read(line);
            if (frame.text("stream", "").equals("tty")
                    && frame.text("content", "").contains(text)) {
                return;
            }
        }
    }
}
