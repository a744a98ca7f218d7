package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.control.FindingStatus;
import brig.protocol.spawn.TerminalSize;
import brig.protocol.spawn.WallKind;
import brig.workeragent.limits.LimitsBackend;
import brig.workeragent.limits.ResourceLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Payloads on a terminal, above all those that try to keep their wall from ending. */
@Timeout(120)
@ParameterizedClass
@EnumSource(value = WallKind.class, mode = EnumSource.Mode.EXCLUDE, names = "GVISOR")
@Tag("slow")
class WallTerminalTest {
    @Parameter
    WallKind kind;

    private WallFixture wall;

    @BeforeEach
    void open() {
        wall = new WallFixture(LimitsBackend.probe().backend(), kind);
    }

    @AfterEach
    void close() {
        wall.close();
    }

    /** A shell script on a terminal of 80 columns and 24 rows. */
    private BubblewrapProcess start(String script) {
        LaunchRequest usual = wall.request(ResourceLimits.DEFAULT, true, "/bin/bash", "-c", script);
        return wall.launch(new LaunchRequest(
                usual.workerId(),
                usual.profile(),
                usual.limits(),
                usual.command(),
                true,
                usual.startTimeoutMs(),
                null,
                new TerminalSize(80, 24)));
    }

    private static byte[] keys(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        record.writeBytes(new byte[] {'k', (byte) (bytes.length >> 8), (byte) bytes.length});
        record.writeBytes(bytes);
        return record.toByteArray();
    }

    /** The read itself cannot be given up, so it has a thread. */
    private static void awaitText(InputStream output, String text) {
        StringBuffer seen = new StringBuffer();
        CompletableFuture<Boolean> there = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                int next = 0;
                while (seen.indexOf(text) < 0 && next >= 0) {
                    next = output.read();
                    seen.append(next < 0 ? "" : (char) next);
                }
                there.complete(next >= 0);
            } catch (IOException failed) {
                there.completeExceptionally(failed);
            }
        });
        assertTrue(WallFixture.await(there), () -> "ended after " + seen);
    }

    /** What it writes, and how it ends. */
    private static String end(BubblewrapProcess process, int code) {
        String output = WallFixture.text(process.stdout().stream());
        assertEquals(ProcessExit.ofCode(code, false), WallFixture.await(process.exit()));
        return output;
    }

    @Test
    void shouldKeepSizesAmongTheKeys() throws IOException {
        BubblewrapProcess process =
                start("tty; stty size; read one; stty size; read two; stty size; echo $one$two; exit 3");
        OutputStream input = process.stdin().stream();
        // A size counts for who reads the key that follows it.
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(new byte[] {'s', 0, 4, 0, 100, 0, 30});
        all.writeBytes(keys(""));
        all.writeBytes(keys("a\n"));
        InputStream output = process.stdout().stream();
        awaitText(output, "/dev/pts/0\r\n24 80\r\n");
        // Cut anywhere: a byte at a time.
        for (byte next : all.toByteArray()) {
            input.write(next);
            input.flush();
        }
        awaitText(output, "30 100\r\n");
        input.write(new byte[] {'s', 0, 4, 0, 90, 0, 20});
        input.write(keys("b\n"));
        input.flush();
        awaitText(output, "20 90\r\nab\r\n");
        assertEquals(ProcessExit.ofCode(3, false), WallFixture.await(process.exit()));
    }

    @Test
    void shouldKeepThePostureOfAnyWall() {
        BubblewrapProcess process = start(
                "exec 2>&1; python3 -c 'import fcntl; fcntl.ioctl(0, 0x5412, b\"x\")' | tail -1; ls /dev/pts; ls -l /proc/1/fd; exit 0");
        assertTrue(process.posture().properties().stream().allMatch(property -> property.status() == FindingStatus.OK));
        String output = end(process, 0);
        assertTrue(output.contains("Operation not permitted") && output.contains("Permission denied"), output);
        assertTrue(output.contains("0  ptmx"), output);
    }

    @Test
    void shouldLoseNothingOfWhatIsWrittenLast() {
        for (int run = 0; run < 10; run++) {
            String output = end(start("head -c 60000 /dev/zero | tr '\\0' x; exec printf END"), 0);
            assertEquals(60_003, output.length());
        }
    }

    @Test
    void shouldPassOnALotOfOutput() throws IOException {
        BubblewrapProcess process = start("head -c 20000000 /dev/zero | tr '\\0' x; exit 4");
        long bytes = 0;
        byte[] buffer = new byte[64 * 1024];
        try (InputStream output = process.stdout().stream()) {
            for (int count = output.read(buffer); count >= 0; count = output.read(buffer)) {
                bytes += count;
            }
        }
        assertEquals(20_000_000, bytes);
        assertEquals(ProcessExit.ofCode(4, false), WallFixture.await(process.exit()));
    }

    @Test
    void shouldEndWithItsPayloadWhoeverHoldsTheTerminal() {
        end(start("(trap '' HUP TERM INT; setsid sleep 1000 & exec sleep 1000) & exit 5"), 5);
        end(start("(trap '' HUP; while :; do echo x; done) & sleep 0.2; exit 6"), 6);
    }

    @Test
    void shouldOutliveATerminalThatItsPayloadClosed() {
        assertEquals("", end(start("exec 0<&- 1>&- 2>&-; sleep 0.3; exit 7"), 7));
    }

    @Test
    void shouldHangUpWhenItsInputEnds() {
        BubblewrapProcess process = start("trap 'echo hup; exit 8' HUP; echo up; while :; do sleep 0.1; done");
        InputStream output = process.stdout().stream();
        assertEquals("up\r", WallFixture.line(output));
        process.stdin().close();
        assertEquals("hup\r", WallFixture.line(output));
        assertEquals(ProcessExit.ofCode(8, false), WallFixture.await(process.exit()));
    }

    @Test
    void shouldHoldOutputBackAndLetItGo() throws IOException {
        BubblewrapProcess process = start("stty -echo; echo up; read line; echo $line; read line; echo $line; exit 9");
        InputStream output = process.stdout().stream();
        awaitText(output, "up\r\n");
        OutputStream input = process.stdin().stream();
        input.write(keys("\u0013one\n"));
        input.flush();
        input.write(keys("\u0011two\n"));
        input.flush();
        awaitText(output, "one\r\ntwo\r\n");
        assertEquals(ProcessExit.ofCode(9, false), WallFixture.await(process.exit()));
    }

    @Test
    void shouldEndWhenItsPayloadNeverReads() throws IOException {
        BubblewrapProcess process = start("stty raw; echo up; exec sleep 1000");
        awaitText(process.stdout().stream(), "up");
        OutputStream input = process.stdin().stream();
        CompletableFuture<Boolean> full = CompletableFuture.supplyAsync(() -> {
            try {
                for (int i = 0; i < 1000; i++) {
                    input.write(keys("x".repeat(1000)));
                }
                return false;
            } catch (IOException ended) {
                return true;
            }
        });
        process.terminate();
        assertEquals(ProcessExit.ofSignal(15, false), WallFixture.await(process.exit()));
        assertTrue(WallFixture.await(full), "more was taken than may wait");
    }

    @Test
    void shouldGoOnWhenItsPayloadStopsItself() {
        assertEquals("on\r\n", end(start("kill -STOP $$; echo on; exit 0"), 0));
    }

    @Test
    void shouldEndWhenAnOrderMakesNoSense() throws IOException {
        for (String bad : List.of("x\0\1y", "s\0\5abcde")) {
            BubblewrapProcess process = start("trap 'exit 2' HUP; echo up; while :; do sleep 0.1; done");
            awaitText(process.stdout().stream(), "up");
            OutputStream input = process.stdin().stream();
            input.write(bad.getBytes(StandardCharsets.ISO_8859_1));
            input.flush();
            assertEquals(ProcessExit.ofCode(2, false), WallFixture.await(process.exit()));
        }
    }
}
