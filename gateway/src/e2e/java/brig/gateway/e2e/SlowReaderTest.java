package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An agent that writes as fast as it can, and readers that do not keep up. */
@Timeout(120)
class SlowReaderTest {
    private static final int LINE_BYTES = 100;
    private static final int LINES = 1_000_000;
    /** What may lie between an agent and a captain that does not read: windows, queues, socket buffers. */
    private static final long IN_BETWEEN_BYTES_MAX = 16L * 1024 * 1024;

    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    /** Reads a stream without keeping it: numbers, bytes and a checksum. */
    private static final class Sum {
        private final CRC32 crc = new CRC32();
        private long bytes;
        private long next = 1;
        private long missing;
        private boolean ended;

        void read(Source source) throws IOException {
            JsonObject frame = JsonObject.read(source.line().getBytes(StandardCharsets.UTF_8));
            long seq = frame.number("seq", 0);
            if (Frames.isType(frame, "gap")) {
                assertEquals(next, frame.number("from", 0));
                missing += frame.number("to", 0) + 1 - next;
                next = frame.number("to", 0) + 1;
            } else if (seq > 0) {
                assertEquals(next++, seq, "a frame was lost or doubled silently");
                byte[] content = Frames.isType(frame, "chunk")
                        ? frame.text("content", "").getBytes(StandardCharsets.UTF_8)
                        : new byte[0];
                crc.update(content);
                bytes += content.length;
                ended = Frames.isTerminated(frame);
            }
        }

        Sum readAll(Source source) throws IOException {
            while (!ended) {
                read(source);
            }
            return this;
        }
    }

    private static long expectedCrc() {
        CRC32 crc = new CRC32();
        for (int i = 1; i <= LINES; i++) {
            String digits = String.valueOf(i);
            String line = "0".repeat(LINE_BYTES - 1 - digits.length()) + digits + "\n";
            crc.update(line.getBytes(StandardCharsets.US_ASCII));
        }
        return crc.getValue();
    }

    @Test
    void shouldGiveCaptainAllAndWatcherTheRestLaterWhenWatcherStops() throws IOException {
        // Scenario: 100 MB of numbered lines; a watcher reads a bit, stops until all is written, and goes on.
        Spawned spawned = product.shell("seq -f %0" + (LINE_BYTES - 1) + ".0f 1 " + LINES);
        try (Wire captain = spawned.captain();
                Events watcher = product.web().events(spawned.id(), "")) {
            Sum slow = new Sum();
            while (slow.bytes < 1_000_000) {
                slow.read(watcher);
            }
            Sum all = new Sum().readAll(captain);
            assertEquals((long) LINES * LINE_BYTES, all.bytes);
            assertEquals(expectedCrc(), all.crc.getValue());
            slow.readAll(watcher);
            assertEquals(all.next, slow.next);
            assertTrue(slow.missing > 0 || slow.crc.getValue() == all.crc.getValue());
        }
    }

    @Test
    void shouldHoldAgentWhenCaptainStopsReading() throws Exception {
        // Scenario: the agent notes how much it has written; with nobody reading its notes stop, with
        // somebody they go on.
        Spawned spawned = product.spawn(
                "shell",
                "chunk=$(head -c 65535 /dev/zero | tr '\\0' x); i=0; "
                        + "while :; do echo $chunk; i=$((i + 1)); echo $i > progress.new; "
                        + "mv progress.new progress; done",
                false);
        try (Wire captain = spawned.captain()) {
            Path progress = spawned.workspace().resolve("progress");
            Await.until("the agent writes", () -> Files.exists(progress));
            long held = awaitStandstill(progress);
            assertTrue(held * 65536 < IN_BETWEEN_BYTES_MAX, "written while nobody read: " + held * 65536);
            Sum sum = new Sum();
            while (sum.bytes < (held + 200) * 65536) {
                sum.read(captain);
            }
            assertTrue(written(progress) > held);
            assertEquals(0, sum.missing);
            captain.sendLine("{\"action\":\"terminate\"}");
            sum.readAll(captain);
        }
    }

    private static long written(Path progress) throws IOException {
        return Long.parseLong(Files.readString(progress).strip());
    }

    /** Waits until nothing was written for a second. */
    private static long awaitStandstill(Path progress) throws IOException {
        long[] last = {written(progress), System.nanoTime()};
        Await.until("the agent stands still", () -> {
            long now = written(progress);
            if (now != last[0]) {
                last[0] = now;
                last[1] = System.nanoTime();
            }
            return System.nanoTime() - last[1] > TimeUnit.SECONDS.toNanos(1);
        });
        return last[0];
    }
}
