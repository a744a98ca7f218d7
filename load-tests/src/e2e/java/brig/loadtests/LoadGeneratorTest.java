package brig.loadtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The generator against the C baseline: what it reports of a server that loses nothing, and that it notices each single
 * way to lose, repeat or damage a frame, on each transport.
 */
class LoadGeneratorTest {
    private static final Path BIN = Path.of(System.getProperty("brig.bin", "build/bin"));

    @TempDir
    Path folder;

    /** What a run printed last, and how it ended. */
    private record Run(JsonObject result, int status) {
        long count(String counter) {
            return result.number(counter, -1);
        }
    }

    @ParameterizedTest
    @CsvSource({"sse,coalesced", "ws,coalesced", "ndjson,coalesced", "sse,per-frame", "ws,per-frame", "ndjson,per-frame"
    })
    void shouldFindEveryFrameWhenTheServerLosesNone(String transport, String mode) throws IOException {
        Run run = run(List.of("--mode", mode), transport, "--streams", "3", "--readers", "4", "--window", "100");

        assertEquals(0, run.status, run.result::toString);
        assertEquals(true, run.result.value("ok"));
        assertTrue(run.count("delivered") > 0);
        assertEquals(0, run.count("missing") + run.count("repeated") + run.count("damaged"));
    }

    @ParameterizedTest
    @CsvSource({"drop,missing", "repeat,repeated", "damage,damaged"})
    void shouldFailAndSayHowWhenTheServerHasADefect(String defect, String counter) throws IOException {
        for (String transport : List.of("sse", "ws", "ndjson")) {
            Run run = run(
                    List.of("--mode", "coalesced", "--" + defect + "-every", "50"),
                    transport,
                    "--readers",
                    "2",
                    "--window",
                    "200");

            assertEquals(1, run.status, run.result::toString);
            assertEquals(false, run.result.value("ok"));
            assertTrue(run.count(counter) > 0, () -> transport + ": " + run.result);
            assertEquals(
                    run.count(counter),
                    run.count("missing") + run.count("repeated") + run.count("damaged"),
                    () -> transport + ": " + run.result);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse", "ws", "ndjson"})
    void shouldResumeWithoutLossWhenReadersConnectAnew(String transport) throws IOException {
        Run run = run(
                List.of("--mode", "coalesced", "--retain"),
                transport,
                "--streams",
                "2",
                "--readers",
                "3",
                "--rate",
                "2000",
                "--storm",
                "20");

        assertEquals(0, run.status, () -> transport + ": " + run.result);
        assertTrue(run.count("reconnects") > 3);
    }

    /** Frames of more than 125 and more than 65535 bytes have other WebSocket headers than short ones. */
    @ParameterizedTest
    @ValueSource(ints = {1, 64, 100, 4096, 65000})
    void shouldReadEveryLengthOfMessage(int contentBytes) throws IOException {
        Run run = run(
                List.of("--mode", "coalesced"),
                "ws",
                "--readers",
                "2",
                "--window",
                "30",
                "--content-bytes",
                String.valueOf(contentBytes));

        assertEquals(0, run.status, () -> String.valueOf(run.result));
    }

    @Test
    void shouldMeasureFromTheDueTimeWhenTheRateIsFixed() throws IOException {
        Run run = run(List.of("--mode", "coalesced"), "ws", "--streams", "2", "--readers", "2", "--rate", "500");

        assertEquals(0, run.status, () -> String.valueOf(run.result));
        List<?> buckets = (List<?>) run.result.value("latency_ns");
        long[] uppers = buckets.stream()
                .mapToLong(bucket -> ((Number) ((List<?>) bucket).getFirst()).longValue())
                .toArray();
        // Nothing comes through two processes in less than a microsecond, and none of this takes ten seconds.
        assertTrue(uppers[0] > 1_000 && uppers[uppers.length - 1] < 10_000_000_000L, () -> String.valueOf(buckets));
        long counted = buckets.stream()
                .mapToLong(bucket -> ((Number) ((List<?>) bucket).get(1)).longValue())
                .sum();
        // 500 frames a second, 2 streams and 2 readers. After a pause come those that were due before; without a rate
        // it would be many times as much.
        double due = 500 * 2 * 2 * ((Number) run.result.value("seconds")).doubleValue();
        assertTrue(counted > due / 2 && counted < due * 2, () -> "latencies: " + counted + ", due " + due);
    }

    @Test
    void shouldBeginWithTheWholeFirstFrameWhenAReaderComesLater() throws IOException {
        String publishers = "unix:" + folder.resolve("pub");
        String subscribers = "unix:" + folder.resolve("sub");
        Process baseline = start(List.of(
                "brig-baseline", "--publish", publishers, "--listen", subscribers, "--mode", "coalesced", "--retain"));
        try (BufferedReader ready = baseline.inputReader(StandardCharsets.UTF_8)) {
            ready.readLine();
            String first = "{\"type\":\"chunk\",\"seq\":1,\"ts\":1}";
            try (SocketChannel publisher = connect("pub", "stream 0");
                    SocketChannel follower = connect("sub", "stream 0 1")) {
                write(publisher, first);
                assertEquals(List.of("stream 0", first), twoLines(follower));
                try (SocketChannel late = connect("sub", "stream 0 1")) {
                    assertEquals(List.of("stream 0", first), twoLines(late));
                }
            }
        } finally {
            baseline.destroy();
        }
    }

    private SocketChannel connect(String socket, String request) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve(socket)));
        write(channel, request);
        return channel;
    }

    private static void write(SocketChannel channel, String line) throws IOException {
        channel.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    private static List<String> twoLines(SocketChannel channel) throws IOException {
        BufferedReader reader = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
        return List.of(reader.readLine(), reader.readLine());
    }

    private Run run(List<String> server, String transport, String... options) throws IOException {
        String publishers = "unix:" + folder.resolve("pub");
        String subscribers = "unix:" + folder.resolve("sub");
        Process baseline = start(Stream.concat(
                        Stream.of("brig-baseline", "--publish", publishers, "--listen", subscribers), server.stream())
                .toList());
        try (BufferedReader ready = baseline.inputReader(StandardCharsets.UTF_8)) {
            ready.readLine();
            List<String> command = new ArrayList<>(List.of(
                    "brig-load",
                    "--publish",
                    "lines",
                    "--publish-to",
                    publishers,
                    "--connect",
                    subscribers,
                    "--subscribe",
                    transport,
                    "--warmup-ms",
                    "20",
                    "--duration-ms",
                    "200",
                    "--go"));
            command.addAll(List.of(options));
            Process load = start(command);
            String last = "";
            try (InputStream out = load.getInputStream()) {
                List<String> lines = new String(out.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .toList();
                last = lines.getLast();
            }
            return new Run(JsonObject.read(last.getBytes(StandardCharsets.UTF_8)), load.waitFor());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            baseline.destroy();
        }
    }

    private static Process start(List<String> command) throws IOException {
        List<String> found = new ArrayList<>(command);
        found.set(0, BIN.resolve(command.getFirst()).toString());
        return new ProcessBuilder(found)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
