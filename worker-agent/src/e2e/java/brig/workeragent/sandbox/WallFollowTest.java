package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.spawn.TerminalSize;
import brig.protocol.spawn.WallKind;
import brig.workeragent.limits.LimitsBackend;
import brig.workeragent.limits.ResourceLimits;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Files of a payload that are followed, above all those that should harm who follows them. */
@Timeout(120)
@ParameterizedClass
@EnumSource(value = WallKind.class, mode = EnumSource.Mode.EXCLUDE, names = "GVISOR")
@Tag("slow")
class WallFollowTest {
    @Parameter
    WallKind kind;

    private static final int FROM_END = 1;

    private WallFixture wall;

    @BeforeEach
    void open() {
        wall = new WallFixture(LimitsBackend.probe().backend(), kind);
    }

    @AfterEach
    void close() {
        wall.close();
    }

    /** What was reported of each file: its content, and "<over>" at its end. */
    private static final class Reports {
        private final TreeMap<Integer, String> files = new TreeMap<>();

        synchronized void take(int number, String text) {
            files.merge(number, text, String::concat);
            notifyAll();
        }

        synchronized String of(int number) {
            return files.getOrDefault(number, "");
        }

        synchronized void await(int number, Predicate<String> isThere) throws InterruptedException {
            while (!isThere.test(of(number))) {
                wait();
            }
        }
    }

    /** A shell script on a terminal. */
    private BubblewrapProcess start(String script) {
        LaunchRequest usual = wall.request(ResourceLimits.DEFAULT, true, "/bin/bash", "-c", "stty -echo; " + script);
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

    private static void follow(BubblewrapProcess process, int number, int flags, String path) throws IOException {
        byte[] name = path.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream order = new ByteArrayOutputStream();
        order.writeBytes(new byte[] {'f', 0, (byte) (name.length + 3), 0, (byte) number, (byte) flags});
        order.writeBytes(name);
        OutputStream input = process.stdin().stream();
        input.write(order.toByteArray());
        input.flush();
    }

    private static void type(BubblewrapProcess process, String key) throws IOException {
        OutputStream input = process.stdin().stream();
        input.write(("k\0" + (char) (key.length() + 1) + key + "\n").getBytes(StandardCharsets.ISO_8859_1));
        input.flush();
    }

    private static Reports reports(BubblewrapProcess process) {
        Reports reports = new Reports();
        Thread.startVirtualThread(() -> {
            try (DataInputStream in = new DataInputStream(process.stderr().stream())) {
                while (true) {
                    char kind = (char) in.readByte();
                    int number = in.readUnsignedShort();
                    byte[] data = in.readNBytes(in.readUnsignedShort());
                    reports.take(
                            kind == 'q' ? 1000 : number,
                            kind == 'd'
                                    ? new String(data, StandardCharsets.UTF_8)
                                    : kind == 'e' ? "<over>" : kind == 'q' ? "q" : "<" + kind + "?>");
                }
            } catch (EOFException ended) {
                reports.take(1001, "end");
            } catch (IOException failed) {
                throw new AssertionError(failed);
            }
        });
        return reports;
    }

    private static void awaitLine(InputStream output, String line) {
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> WallFixture.line(output));
        assertEquals(line + "\r", WallFixture.await(read));
    }

    @Test
    void shouldPassOnAllThatIsWrittenUpToTheEnd() throws IOException, InterruptedException {
        BubblewrapProcess process =
                start("printf old >/tmp/b; echo up; read go; printf one >/tmp/a; printf new >>/tmp/b;"
                        + " echo up; read go; printf two >>/tmp/a; exit 3");
        Reports reports = reports(process);
        InputStream output = process.stdout().stream();
        awaitLine(output, "up");
        follow(process, 1, 0, "/tmp/a");
        follow(process, 2, FROM_END, "/tmp/b");
        follow(process, 3, 0, "/tmp/b");
        reports.await(3, "old"::equals);
        type(process, "");
        reports.await(1, "one"::equals);
        reports.await(2, "new"::equals);
        reports.await(1000, quiet -> quiet.startsWith("q"));
        awaitLine(output, "up");
        type(process, "");
        assertEquals(ProcessExit.ofCode(3, false), WallFixture.await(process.exit()));
        reports.await(1001, "end"::equals);
        assertEquals("onetwo", reports.of(1));
        assertEquals("oldnew", reports.of(3));
    }

    @Test
    void shouldReadNothingButRegularFiles() throws IOException, InterruptedException {
        BubblewrapProcess process = start("echo secret >/tmp/s; ln -s /tmp/s /tmp/1; mkfifo /tmp/2; mkdir /tmp/3;"
                + " printf abc >/tmp/8; echo up; read go; printf d >/tmp/8; printf last >/tmp/9; read go; exit 0");
        Reports reports = reports(process);
        awaitLine(process.stdout().stream(), "up");
        String[] paths = {
            "/tmp/1",
            "/tmp/2",
            "/tmp/3",
            "/dev/zero",
            "/proc/self/fd/3",
            "/proc/self/maps",
            "/proc/kmsg",
            "/tmp/8",
            "/tmp/9"
        };
        for (int i = 0; i < paths.length; i++) {
            follow(process, i + 1, 0, paths[i]);
        }
        follow(process, 20, 0, "tmp/8");
        reports.await(8, "abc"::equals);
        type(process, "");
        reports.await(8, "abc<over>"::equals);
        reports.await(9, "last"::equals);
        for (int number : new int[] {1, 2, 3, 4, 5}) {
            assertEquals("<over>", reports.of(number), paths[number - 1]);
        }
        assertTrue(!reports.of(6).contains("r"), "the memory of who follows");
        assertEquals("", reports.of(20));
        type(process, "");
        assertEquals(ProcessExit.ofCode(0, false), WallFixture.await(process.exit()));
    }

    @Test
    void shouldServeTheTerminalWhileNobodyReadsAnEndlessFile() throws IOException {
        BubblewrapProcess process = start("truncate -s 1G /tmp/a; echo up; read key; echo $key; read key; exit 4");
        InputStream output = process.stdout().stream();
        awaitLine(output, "up");
        follow(process, 1, 0, "/tmp/a");
        type(process, "typed");
        awaitLine(output, "typed");
        type(process, "");
        assertEquals(ProcessExit.ofCode(4, false), WallFixture.await(process.exit()));
    }

    @Test
    void shouldStarveNoFileBesideAnEndlessOne() throws IOException, InterruptedException {
        BubblewrapProcess process =
                start("truncate -s 1G /tmp/a; echo up; read go; printf here >/tmp/b; read go; exit 0");
        Reports reports = reports(process);
        awaitLine(process.stdout().stream(), "up");
        follow(process, 1, 0, "/tmp/a");
        follow(process, 2, 0, "/tmp/b");
        type(process, "");
        reports.await(2, "here"::equals);
        type(process, "");
        assertEquals(ProcessExit.ofCode(0, false), WallFixture.await(process.exit()));
    }

    @Test
    void shouldEndWhenWhoFollowsIsStopped() throws IOException, InterruptedException {
        BubblewrapProcess process = start("echo up; read go; printf x >/tmp/a; sleep 0.5;"
                + " for p in /proc/[0-9]*; do p=${p#/proc/}; [ $p = 1 ] || [ $p = $$ ] || kill -STOP $p; done; exit 5");
        Reports reports = reports(process);
        awaitLine(process.stdout().stream(), "up");
        follow(process, 1, 0, "/tmp/a");
        type(process, "");
        reports.await(1, "x"::equals);
        assertEquals(ProcessExit.ofCode(5, false), WallFixture.await(process.exit()));
    }
}
