package brig.workeragent.pipe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real pipes: FIFOs, whose writing ends are the test's. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipeLoopsTest {
    @TempDir
    Path folder;

    private final PipeLoops loops = new PipeLoops();
    private int fifos;

    @AfterEach
    void close() {
        loops.close();
    }

    /** Both ends of a pipe. */
    private record Ends(RandomAccessFile writer, OutputPipe reader) {
        void write(String text) throws IOException {
            writer.write(text.getBytes(UTF_8));
        }
    }

    private Ends open() throws IOException, InterruptedException {
        Path fifo = folder.resolve("fifo" + ++fifos);
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        // For reading too, as otherwise the kernel waits for a reader.
        RandomAccessFile writer = new RandomAccessFile(fifo.toFile(), "rw");
        return new Ends(writer, loops.openOutput(fifo.toString()));
    }

    /** What came out of a pipe. */
    private static class Collector implements OutputPipe.Reader {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final CompletableFuture<@Nullable Exception> end = new CompletableFuture<>();
        final AtomicInteger asked = new AtomicInteger();
        volatile long pauseMs;

        @Override
        public long pauseMs() {
            asked.incrementAndGet();
            return pauseMs;
        }

        @Override
        public synchronized void handleBytes(byte[] arrived, int count) {
            bytes.write(arrived, 0, count);
            notifyAll();
        }

        @Override
        public void handleEnd(@Nullable Exception failure) {
            end.complete(failure);
        }

        synchronized void awaitBytes(int count) throws InterruptedException {
            while (bytes.size() < count) {
                wait();
            }
        }

        @Nullable
        Exception awaitEnd() throws Exception {
            return end.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldReadEveryByteInOrderToTheEnd() throws Exception {
        byte[] sent = new byte[3_000_000];
        new Random(1).nextBytes(sent);
        Ends pipe = open();
        Collector collector = new Collector();
        pipe.reader().start(collector);
        try (RandomAccessFile writer = pipe.writer()) {
            writer.write(sent);
        }
        assertNull(collector.awaitEnd());
        assertArrayEquals(sent, collector.bytes.toByteArray());
    }

    @Test
    void shouldAskOnceAndKeepQuietWhilePausedAlthoughTheWriterIsGone() throws Exception {
        Ends pipe = open();
        Ends other = open();
        Collector collector = new Collector();
        collector.pauseMs = OutputPipe.FOREVER;
        pipe.reader().start(collector);
        pipe.write("late");
        pipe.writer().close();
        Collector busy = new Collector();
        other.reader().start(busy);
        for (int i = 1; i <= 100; i++) {
            other.write("x");
            busy.awaitBytes(i);
        }
        assertEquals(0, collector.bytes.size());
        assertTrue(collector.asked.get() <= 1, "asked " + collector.asked);
        collector.pauseMs = 0;
        pipe.reader().resume();
        assertNull(collector.awaitEnd());
        assertEquals("late", collector.bytes.toString(UTF_8));
        other.writer().close();
        assertNull(busy.awaitEnd());
    }

    @Test
    void shouldGoOnByItselfAfterAShortPause() throws Exception {
        Ends pipe = open();
        Collector collector = new Collector() {
            @Override
            public long pauseMs() {
                return asked.incrementAndGet() < 4 ? 1 : 0;
            }
        };
        pipe.reader().start(collector);
        pipe.write("text");
        pipe.writer().close();
        assertNull(collector.awaitEnd());
        assertEquals("text", collector.bytes.toString(UTF_8));
        assertTrue(collector.asked.get() >= 4);
    }

    @Test
    void shouldEndThePipeWhoseReaderFailsAndNoOther() throws Exception {
        Ends broken = open();
        Ends whole = open();
        Collector failing = new Collector() {
            @Override
            public void handleBytes(byte[] arrived, int count) {
                throw new StackOverflowError("a fault of the test");
            }
        };
        Collector collector = new Collector();
        broken.reader().start(failing);
        whole.reader().start(collector);
        broken.write("x");
        assertEquals("a fault of the test", failing.awaitEnd().getCause().getMessage());
        whole.write("y");
        collector.awaitBytes(1);
        whole.reader().close();
        assertEquals("closed", collector.awaitEnd().getMessage());
        broken.writer().close();
        whole.writer().close();
    }

    @Test
    void shouldReadManyPipesOnAFewThreads() throws Exception {
        List<Ends> pipes = new ArrayList<>();
        List<Collector> collectors = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            pipes.add(open());
            collectors.add(new Collector());
            pipes.getLast().reader().start(collectors.getLast());
            pipes.getLast().write("from " + i);
        }
        for (int i = 0; i < 200; i++) {
            collectors.get(i).awaitBytes(("from " + i).length());
        }
        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("brig-pipes"))
                .count();
        assertTrue(threads <= 4, threads + " threads");
        for (int i = 0; i < 200; i++) {
            pipes.get(i).writer().close();
            assertNull(collectors.get(i).awaitEnd());
            assertEquals("from " + i, collectors.get(i).bytes.toString(UTF_8));
        }
    }

    @Test
    void shouldServeAThreadThatBlocks() throws Exception {
        Ends pipe = open();
        byte[] sent = new byte[300_000];
        new Random(2).nextBytes(sent);
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            try (RandomAccessFile writer = pipe.writer()) {
                writer.write(sent);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        try (InputStream stream = pipe.reader().stream()) {
            assertEquals(Byte.toUnsignedInt(sent[0]), stream.read());
            assertArrayEquals(Arrays.copyOfRange(sent, 1, sent.length), stream.readAllBytes());
            assertEquals(-1, stream.read());
        }
        writing.get(30, TimeUnit.SECONDS);
    }

    @Test
    void shouldEndEveryReaderWhenClosed() throws Exception {
        Ends pipe = open();
        Collector collector = new Collector();
        pipe.reader().start(collector);
        pipe.write("x");
        collector.awaitBytes(1);
        Ends late = open();
        loops.close();
        assertEquals("closed", collector.awaitEnd().getMessage());
        Collector refused = new Collector();
        late.reader().start(refused);
        assertEquals("closed", refused.awaitEnd().getMessage());
        pipe.writer().close();
        late.writer().close();
    }

    /** Something to write, and what became of it. */
    private static final class Source implements InputPipe.Writer {
        final Queue<byte[]> waiting = new ConcurrentLinkedQueue<>();
        final CompletableFuture<@Nullable Exception> end = new CompletableFuture<>();
        volatile boolean over;

        @Override
        public byte @Nullable [] next() {
            return waiting.poll();
        }

        @Override
        public boolean isOver() {
            return over;
        }

        @Override
        public void handleEnd(@Nullable Exception failure) {
            end.complete(failure);
        }

        @Nullable
        Exception awaitEnd() throws Exception {
            return end.get(30, TimeUnit.SECONDS);
        }
    }

    /** A pipe that is written; its reading end is the test's. */
    private record Way(InputPipe writer, InputStream reader) {}

    private Way openWay() throws Exception {
        Path fifo = folder.resolve("fifo" + ++fifos);
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        try (RandomAccessFile _ = new RandomAccessFile(fifo.toFile(), "rw")) {
            InputPipe writer = loops.openInput(fifo.toString());
            return new Way(writer, Files.newInputStream(fifo));
        }
    }

    @Test
    void shouldWriteEverythingInOrderAndCloseBehindIt() throws Exception {
        byte[] sent = new byte[1_000_000];
        new Random(3).nextBytes(sent);
        Way way = openWay();
        Source source = new Source();
        source.waiting.add(Arrays.copyOfRange(sent, 0, 700_000));
        way.writer().start(source);
        byte[] got = way.reader().readNBytes(700_000);
        source.waiting.add(new byte[0]);
        source.waiting.add(Arrays.copyOfRange(sent, 700_000, sent.length));
        source.over = true;
        way.writer().resume();
        assertArrayEquals(Arrays.copyOfRange(sent, 0, 700_000), got);
        assertArrayEquals(
                Arrays.copyOfRange(sent, 700_000, sent.length), way.reader().readAllBytes());
        assertNull(source.awaitEnd());
        way.reader().close();
    }

    @Test
    void shouldEndAWriterWhoseReaderIsGone() throws Exception {
        Way way = openWay();
        Source source = new Source();
        source.waiting.add(new byte[1_000_000]);
        way.writer().start(source);
        assertEquals(0, way.reader().read());
        way.reader().close();
        assertTrue(source.awaitEnd().toString().contains("Broken pipe"));
    }

    @Test
    void shouldLetAThreadWriteThatBlocks() throws Exception {
        byte[] sent = new byte[300_000];
        new Random(4).nextBytes(sent);
        Way way = openWay();
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            try (OutputStream stream = way.writer().stream()) {
                stream.write(sent[0]);
                stream.write(sent, 1, sent.length - 1);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        assertArrayEquals(sent, way.reader().readAllBytes());
        writing.get(30, TimeUnit.SECONDS);
        way.reader().close();
        Way gone = openWay();
        gone.reader().close();
        assertThrows(IOException.class, () -> gone.writer().stream().write(1));
    }

    @Test
    void shouldEndWhatEpollDoesNotTake() throws Exception {
        Collector collector = new Collector();
        loops.openOutput(Files.createFile(folder.resolve("file")).toString()).start(collector);
        assertTrue(collector.awaitEnd().toString().contains("epoll_ctl"), String.valueOf(collector.end));
    }

    @Test
    void shouldSayWhichPipeCannotBeOpened() {
        IOException refusal = assertThrows(IOException.class, () -> loops.openOutput(folder + "/absent"));
        assertEquals(folder + "/absent cannot be opened: errno 2", refusal.getMessage());
    }
}
