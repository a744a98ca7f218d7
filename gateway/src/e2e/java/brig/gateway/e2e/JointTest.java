package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.deploy.ProgramEnd;
import brig.gateway.joint.LocalSockets;
import brig.gateway.joint.NearEnd;
import brig.gateway.joint.SystemSockets;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections through both ends of a joint, without ssh between them, and what the far end makes of a bad near end. */
@Timeout(120)
class JointTest {
    private static final String PROGRAM = Path.of(System.getProperty("brig.product", "build/brig"))
            .toAbsolutePath()
            .resolve("lib/native/brig-join")
            .toString();
    private static final String HELLO = "brig-join 1\n";
    private static final int AT_ONCE = 200;
    private static final int BIG = 20_000_000;
    private static final int SEGMENTATION_FAULT = 139;

    @TempDir
    private Path folder;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private final LinkedBlockingQueue<SocketChannel> accepted = new LinkedBlockingQueue<>();
    private final Queue<SocketChannel> open = new ConcurrentLinkedQueue<>();
    private ServerSocketChannel server;
    private LocalSockets.Joint joint;

    @BeforeEach
    void start() throws Exception {
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(folder.resolve("there")));
        threads.submit(() -> {
            while (true) {
                accepted.add(server.accept());
            }
        });
        joint = join(folder.resolve("here"), folder.resolve("there"), ended);
    }

    @AfterEach
    void stop() throws IOException {
        for (SocketChannel one : open) {
            one.close();
        }
        joint.close();
        server.close();
        threads.shutdownNow();
    }

    private static LocalSockets.Joint join(Path here, Path there, CompletableFuture<String> ended) throws Exception {
        return new SystemSockets(Runnable::run)
                .join(
                        here,
                        new ProgramEnd.Start(
                                List.of("sh", "-c", "echo Welcome; exec \"$0\" \"$1\"", PROGRAM, there.toString())),
                        ended::complete)
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
    }

    private SocketChannel dial() throws IOException {
        SocketChannel dialled = SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("here")));
        open.add(dialled);
        return dialled;
    }

    private SocketChannel accepted() throws InterruptedException {
        SocketChannel taken = accepted.poll(60, TimeUnit.SECONDS);
        assertTrue(taken != null, "no connection came");
        open.add(taken);
        return taken;
    }

    private static boolean isAtEnd(SocketChannel one) throws IOException {
        return one.read(ByteBuffer.allocate(1)) == -1;
    }

    /** Writes all of it, then the end. */
    private Future<?> writing(SocketChannel to, byte[] bytes) {
        return threads.submit(() -> {
            write(to, bytes);
            to.shutdownOutput();
            return null;
        });
    }

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void write(SocketChannel to, byte[] bytes) throws IOException {
        Channels.newOutputStream(to).write(bytes);
    }

    private static byte[] readAll(SocketChannel from) throws IOException {
        return Channels.newInputStream(from).readAllBytes();
    }

    /** Answers, after the end of what comes, with the same. */
    private void echo() {
        threads.submit(() -> {
            while (true) {
                SocketChannel one = accepted.take();
                threads.submit(() -> {
                    try (one) {
                        write(one, readAll(one));
                    }
                    return null;
                });
            }
        });
    }

    @Test
    void shouldCarryManyConnectionsAtOnceAndTheEndOfEachDirection() throws Exception {
        echo();
        List<Future<byte[]>> answers = new ArrayList<>();
        for (int i = 0; i < 2 * AT_ONCE; i++) {
            int number = i;
            answers.add(threads.submit(() -> {
                try (SocketChannel one = dial()) {
                    write(one, bytes(number * 1000 + number % 3, number));
                    one.shutdownOutput();
                    return readAll(one);
                }
            }));
        }
        for (int i = 0; i < answers.size(); i++) {
            assertArrayEquals(bytes(i * 1000 + i % 3, i), answers.get(i).get(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldHoldUpNoOtherConnectionForOneThatIsNotRead() throws Exception {
        byte[] big = bytes(BIG, 1);
        SocketChannel unread = dial();
        Future<?> down = writing(accepted(), big);
        Future<?> up = writing(dial(), big);
        SocketChannel unreadThere = accepted();
        for (int turn = 0; turn < 3; turn++) {
            SocketChannel here = dial();
            SocketChannel there = accepted();
            writing(here, big);
            assertArrayEquals(big, readAll(there));
            writing(there, big);
            assertArrayEquals(big, readAll(here));
        }
        assertTrue(!down.isDone() && !up.isDone(), "what nobody reads is not kept without bound");
        assertArrayEquals(big, readAll(unread));
        assertArrayEquals(big, readAll(unreadThere));
        down.get(60, TimeUnit.SECONDS);
        up.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldTellEachEndThatTheOtherIsGone() throws Exception {
        SocketChannel here = dial();
        accepted().close();
        assertTrue(isAtEnd(here));
        SocketChannel gone = dial();
        SocketChannel there = accepted();
        gone.close();
        assertTrue(isAtEnd(there));
        server.close();
        Files.delete(folder.resolve("there"));
        assertTrue(isAtEnd(dial()));
    }

    @Test
    void shouldCloseTheConnectionThatIsOneTooMany() throws Exception {
        SocketChannel first = dial();
        SocketChannel firstThere = accepted();
        for (int i = 1; i < NearEnd.CONNECTIONS_MAX; i++) {
            dial();
            accepted();
        }
        assertTrue(isAtEnd(dial()));
        first.close();
        firstThere.close();
        Await.until("there is room again", () -> {
            dial();
            return accepted.poll() != null;
        });
    }

    @Test
    void shouldEndAllConnectionsAndSayWhyWhenTheProgramEnds() throws Exception {
        SocketChannel here = dial();
        SocketChannel there = accepted();
        Processes.with(PROGRAM, folder.resolve("there").toString()).forEach(ProcessHandle::destroyForcibly);
        assertTrue(isAtEnd(here));
        assertTrue(isAtEnd(there));
        assertEquals("the program there ended", ended.get(60, TimeUnit.SECONDS));
        CompletableFuture<String> why = new CompletableFuture<>();
        join(folder.resolve("other"), folder.resolve("x".repeat(200)), why);
        assertEquals("the program there ended: usage: brig-join SOCKET", why.get(60, TimeUnit.SECONDS));
    }

    /** Bytes in hexadecimal; {@code *N} repeats those before it. */
    private static byte[] script(String script) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (String part : script.split(" ")) {
            String[] repeated = part.split("\\*");
            for (int i = 0; i < (repeated.length > 1 ? Integer.parseInt(repeated[1]) : 1); i++) {
                all.writeBytes(HexFormat.of().parseHex(repeated[0]));
            }
        }
        return all.toByteArray();
    }

    private Run far(byte[] input) throws Exception {
        Path in = Files.write(folder.resolve("in"), input);
        Path err = folder.resolve("err");
        Process far = new ProcessBuilder(PROGRAM, folder.resolve("there").toString())
                .redirectInput(in.toFile())
                .redirectError(err.toFile())
                .start();
        try (InputStream out = far.getInputStream()) {
            String said = new String(out.readAllBytes(), StandardCharsets.ISO_8859_1);
            return new Run(far.waitFor(), said, Files.readString(err).strip());
        } finally {
            far.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000000000000000 | a frame of no kind",
                "0600000000000000 | a frame of no kind",
                "ff00000000000000 | a frame of no kind",
                "0100000000000800 | a number that no connection can have",
                "01000000ffffffff | a number that no connection can have",
                "0100000000000000*2 | a connection is opened twice",
                "0200000000000000 | a frame for a connection that is not there",
                "0300000000000001 | a frame for a connection that is not there",
                "0100000000000000 0400000000000000 0500000100000000 | a frame for a connection that is not there",
                "0100000000000000 0200400100000000 | a frame that is too long",
                "0100000000000000 0300000000000000 0200000100000000 00 | data after the end",
                "0100000000000000 0300000000000000*2 | a second end",
                "0100000000000000 050f800100000000 | more is allowed than a window",
                "0100000000000000 0200400000000000 00*16384 0200400000000000 00*16384 0200000100000000 00 | more data than is allowed",
            })
    void shouldEndTheFarEndWhenTheNearEndBreaksARule(String line) throws Exception {
        String[] parts = line.split(" \\| ");
        Run far = far(script(parts[0]));
        assertEquals("brig-join: " + parts[1], far.err(), far::toString);
        assertEquals(1, far.exitCode());
    }

    @Test
    void shouldEndTheFarEndWithItsInputAndBearAnyBytes() throws Exception {
        Run quiet = far(new byte[7]);
        assertEquals(new Run(0, HELLO, ""), quiet);
        for (int seed = 0; seed < AT_ONCE; seed++) {
            Random random = new Random(seed);
            ByteBuffer input = ByteBuffer.allocate(100_000);
            while (input.remaining() > NearEnd.CONNECTIONS_MAX + 8) {
                int length = random.nextInt(NearEnd.CONNECTIONS_MAX);
                input.put((byte) random.nextInt(1, 6)).put((byte) 0).putShort((short) length);
                input.putInt(random.nextInt(3));
                input.put(new byte[random.nextInt(3) == 0 ? 0 : length]);
            }
            Run far = far(input.array());
            assertTrue(far.exitCode() < 2 && far.exitCode() != SEGMENTATION_FAULT, "seed " + seed + ": " + far);
        }
    }
}
