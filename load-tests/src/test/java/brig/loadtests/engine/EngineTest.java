package brig.loadtests.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A shell plays the generator. */
class EngineTest {
    private static final long SECONDS_MAX = 20;

    @TempDir
    private Path folder;

    private final List<Engine.Progress> progress = new ArrayList<>();

    private Engine start(String script, long secondsMax) throws IOException {
        return Engine.start(List.of("sh", "-c", script), folder, secondsMax, progress::add);
    }

    @Test
    void shouldSpeakTheContract() throws IOException {
        String script = """
                echo '{"event":"ready"}'; read -r line; test "$line" = go || exit 9
                echo '{"event":"connected","ms":12.5}'
                echo '{"event":"progress","delivered":5,"per_second":2.5,"rss_bytes":[10,20]}'
                echo '{"event":"result","ok":true,"fault":null,"seconds":2,"delivered":1000,"published":10,"gaps":0,\
                "cpu_seconds":[0.5,0.25],"rss_peak_growth_bytes":[7,8],"generator_cpu_share":0.6,"send_lag_ns_p99":2000000,\
                "latency_ns":[[1000,3],[9000,1]],"quiet":{"delivered":400,"latency_ns":[[5000,2]]}}'
                """;
        try (Engine engine = start(script, SECONDS_MAX)) {
            engine.await(EngineEvent.Ready.class);
            engine.tell("go");
            EngineResult result = engine.result();
            assertNull(result.fault());
            assertEquals(10, result.published());
            assertEquals(0.75, result.cpuSeconds());
            assertEquals(List.of(0.5, 0.25), result.cpuSecondsEach());
            assertEquals(0.375, result.serverShare());
            assertEquals(0.6, result.generatorShare());
            assertEquals(15, result.growthBytes());
            assertEquals(2, result.sendLagP99Ms());
            assertEquals(1000, result.all().delivered());
            assertEquals(4, result.all().latencyNs().getTotalCount());
            assertEquals(400, result.judged().delivered());
            assertEquals(5000.0, (double) result.judged().latencyNs().getMaxValue(), 10);
        }
        assertEquals(1, progress.size());
        assertEquals(30, progress.getFirst().residentBytes());
        assertEquals(2.5, progress.getFirst().framesPerSecond());
    }

    @Test
    void shouldHandOnWhatWasLost() throws IOException {
        try (Engine engine =
                start("echo '{\"event\":\"result\",\"ok\":false,\"fault\":\"2 frames missing\"}'", SECONDS_MAX)) {
            assertEquals("2 frames missing", engine.result().fault());
        }
    }

    @Test
    void shouldHandOnTheLastWordsOfAGeneratorThatEnds() throws IOException {
        try (Engine engine = start("echo 'brig-load: cannot connect' >&2; exit 2", SECONDS_MAX)) {
            IOException ended = assertThrows(IOException.class, () -> engine.await(EngineEvent.Ready.class));
            assertTrue(String.valueOf(ended.getMessage()).contains("cannot connect"), ended.getMessage());
        }
    }

    @Test
    void shouldSayWhyWhenTheResultComesBeforeTheRunBegan() throws IOException {
        try (Engine engine = start("echo '{\"event\":\"result\",\"ok\":false,\"fault\":\"refused\"}'", SECONDS_MAX)) {
            IOException ended = assertThrows(IOException.class, () -> engine.await(EngineEvent.Ready.class));
            assertTrue(String.valueOf(ended.getMessage()).contains("refused"), ended.getMessage());
        }
    }

    @Test
    void shouldEndAGeneratorThatHangs() throws IOException {
        try (Engine engine = start("exec sleep 600", 1)) {
            assertThrows(IOException.class, () -> engine.await(EngineEvent.Ready.class));
        }
    }
}
