package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.wire.FrameType;
import brig.workeragent.limits.TestedLevel;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Each limit of a policy, reached on purpose behind the real wall while two other workers stream; at each level that
 * this host has. All that is misused here is bounded by the script itself, should the limit not hold.
 */
@Timeout(90)
@ParameterizedClass
@FieldSource("brig.workeragent.limits.LimitsBackend#LEVELS")
class LimitsBiteTest {
    private static final int NEIGHBOURS = 2;
    private static final long MIB = 1 << 20;
    /** A neighbour says something every 50 ms; on a busy host of two cores it may be late, but not for so long. */
    private static final long SILENCE_MS_MAX = Long.getLong("brig.silenceMsMax", 3000);

    private final String level;

    private AgentFixture fixture;
    private TestGateway control;
    private final Neighbour[] neighbours = new Neighbour[NEIGHBOURS];

    LimitsBiteTest(String level) {
        this.level = level;
    }

    /** A worker that counts aloud, and the thread that checks its count. */
    private final class Neighbour {
        private final AtomicLong heard = new AtomicLong();
        private final AtomicLong longestSilenceMs = new AtomicLong();
        private final TestGateway frames;
        private final Thread reader;
        private volatile Throwable fault;

        Neighbour() throws IOException {
            String id = Ids.newSpawnId(System.currentTimeMillis());
            fixture.askForShell(
                    control, id, "build", "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo $i; sleep 0.05; done");
            frames = fixture.frames(id, 1);
            reader = Thread.ofVirtual().start(this::listen);
        }

        private void listen() {
            StringBuilder said = new StringBuilder();
            long[] lastAt = {System.nanoTime()};
            try {
                frames.read(frame -> {
                    if (frame.type() != FrameType.CHUNK) {
                        return frame.type() != FrameType.DONE;
                    }
                    long now = System.nanoTime();
                    longestSilenceMs.accumulateAndGet(TimeUnit.NANOSECONDS.toMillis(now - lastAt[0]), Math::max);
                    lastAt[0] = now;
                    said.append(frame.text("content"));
                    for (int end = said.indexOf("\n"); end >= 0; end = said.indexOf("\n")) {
                        assertEquals(heard.incrementAndGet(), Long.parseLong(said.substring(0, end)));
                        said.delete(0, end + 1);
                    }
                    return true;
                });
            } catch (IOException closedByTheTest) {
                return;
            } catch (AssertionError wrongCount) {
                fault = wrongCount;
            }
        }

        void assertUntouched() {
            long before = heard.get();
            while (heard.get() < before + 5 && reader.isAlive()) {
                LockSupport.parkNanos(2_000_000);
            }
            assertTrue(reader.isAlive(), () -> "the neighbour fell silent: " + fault);
            assertTrue(longestSilenceMs.get() < SILENCE_MS_MAX, longestSilenceMs + " ms of silence");
        }
    }

    @BeforeEach
    void open() throws IOException {
        TestedLevel.assume(level).close();
        fixture = new AgentFixture(level).open();
        control = fixture.control();
        for (int i = 0; i < NEIGHBOURS; i++) {
            neighbours[i] = new Neighbour();
        }
    }

    @AfterEach
    void close() throws IOException {
        if (fixture != null) {
            for (Neighbour neighbour : neighbours) {
                neighbour.frames.close();
            }
            control.close();
            fixture.close();
        }
    }

    /** What came of the script under a policy with these keys, the neighbours being well: its output, its done. */
    private String run(Map<String, ?> policy, String script) throws IOException {
        fixture.writePolicy("test", policy);
        String id = Ids.newSpawnId(System.currentTimeMillis());
        Map<String, Object> answer = fixture.askForShell(control, id, "test", script);
        assertTrue(answer.containsKey("ok"), answer.toString());
        StringBuilder said = new StringBuilder();
        try (TestGateway frames = fixture.frames(id, 1)) {
            frames.read(frame -> {
                if (frame.type() == FrameType.CHUNK) {
                    said.append(frame.text("content"));
                }
                if (frame.type() == FrameType.DONE) {
                    said.append("done ")
                            .append(frame.text("signal"))
                            .append(' ')
                            .append(frame.text("reason"));
                }
                return frame.type() != FrameType.DONE;
            });
        }
        for (Neighbour neighbour : neighbours) {
            neighbour.assertUntouched();
        }
        return said.toString();
    }

    private boolean inGroups() {
        return !level.equals("rlimits");
    }

    @Test
    void shouldHoldForkBombWhenPidsMaxIsReached() throws Exception {
        String bomb = "exec sh -c 'i=0; while [ $i -lt 300 ]; do sleep 60 >/dev/null 2>&1 & i=$((i+1)); echo n; done'";
        String said = run(Map.of("pidsMax", 40), bomb);
        long forked = said.lines().filter(line -> line.equals("n")).count();
        assertTrue(said.contains("Cannot fork"), said);
        assertTrue(forked > 20 && forked < 40, "forked " + forked);
    }

    @Test
    void shouldEndHogWithItsReasonWhenMemoryIsReached() throws Exception {
        String said = run(
                Map.of("memoryBytesMax", 64 * MIB), "exec 2>&1 python3 -c 'b = bytearray(300 << 20); print(len(b))'");
        // Without a group the allocation fails, and what then comes is the program's affair.
        assertTrue(
                inGroups() ? said.equals("done SIGKILL out_of_memory") : said.endsWith("MemoryError\ndone null null"),
                said);
    }

    @Test
    void shouldEndWorkerWithItsReasonWhenItsProcessesTogetherReachMemory() throws Exception {
        // None of them has too much alone. Where the kernel ends one of the four, their parent ends itself likewise.
        String said = run(Map.of("memoryBytesMax", 64 * MIB), """
                exec python3 -c 'import os, time
                for i in range(4):
                    if os.fork() == 0:
                        b = bytearray(20 << 20)
                        time.sleep(60)
                os.kill(os.getpid(), os.wait()[1])'
                """);
        assertEquals("done SIGKILL out_of_memory", said);
    }

    @Test
    void shouldHaveNoSpaceWhenTmpIsFull() throws Exception {
        // One pipe for both: what comes over two has no order between them.
        String said = run(
                Map.of("tmpBytesMax", 2 * MIB), "exec 2>&1; head -c 50000000 /dev/zero > /tmp/x; stat -c %s /tmp/x");
        assertTrue(said.contains("No space left on device\n2097152\ndone null null"), said);
    }

    @Test
    void shouldEndSessionWithItsReasonWhenDiskIsReached() throws Exception {
        // At most 300 MiB, a file at a time, so that the watch sees it grow.
        String script = "for i in {1..300}; do head -c 1048576 /dev/zero > f$i; sleep 0.05; done; echo all";
        assertEquals("done SIGKILL disk_full", run(Map.of("diskBytesMax", 16 * MIB), script));
    }

    @Test
    void shouldEndWriterWhenFileIsTooLarge() throws Exception {
        assertEquals("done SIGXFSZ null", run(Map.of("fileBytesMax", 2 * MIB), "exec head -c 50000000 /dev/zero > x"));
    }

    @Test
    void shouldSlowAndEndBusyLoopWhenCpuAndWallClockAreReached() throws Exception {
        // 4 s at 25 % of a core are 1 s of CPU. The loop ends by itself after 20 s. It tells its CPU time each second,
        // as
        // what is slowed may not get to a last word.
        Map<String, Object> policy = new LinkedHashMap<>(Map.of("cpuPercentMax", 25, "wallClockMs", 4000));
        String said = run(
                policy,
                "told=0; while [ $SECONDS -lt 20 ]; do if [ $SECONDS -gt $told ]; then told=$SECONDS; "
                        + "read -r -a used < /proc/$$/stat; echo ${used[13]} ${used[14]}; fi; done");
        assertTrue(said.matches("(?s).*\ndone SIG(TERM|KILL) timeout"), said);
        String[] lines = said.split("\n", -1);
        String[] ticks = lines[lines.length - 2].split(" ", -1);
        long cpuMs = 10 * (Long.parseLong(ticks[0]) + Long.parseLong(ticks[1]));
        assertTrue(cpuMs > 200 && (cpuMs < 1500 || !inGroups()), cpuMs + " ms of CPU");
    }

    @Test
    void shouldKillProcessThatIgnoresTermWhenWallClockIsReached() throws Exception {
        assertEquals(
                "up\ndone SIGKILL timeout",
                run(Map.of("wallClockMs", 500), "trap '' TERM; echo up; for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done"));
    }
}
