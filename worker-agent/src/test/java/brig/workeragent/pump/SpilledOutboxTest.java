package brig.workeragent.pump;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.Frames;
import brig.protocol.Limits;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Chunk.Channel;
import brig.protocol.wire.FrameType;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class SpilledOutboxTest {
    private static final int FRAMES = 2000;

    /** Files in memory, which fail when they are told to. */
    private static final class Disk implements SpillFiles {
        private final TreeMap<Long, byte[]> files = new TreeMap<>();
        private boolean full;
        private boolean unreadable;

        @Override
        public synchronized void write(long name, long at, byte[] bytes, int length) throws IOException {
            byte[] old = at == 0 ? new byte[0] : files.get(name);
            int taken = full ? length / 2 : length;
            byte[] fresh = Arrays.copyOf(old, Math.max(old.length, (int) at + taken));
            System.arraycopy(bytes, 0, fresh, (int) at, taken);
            files.put(name, fresh);
            if (full) {
                throw new IOException("No space left on device");
            }
        }

        @Override
        public synchronized void read(long name, long at, byte[] into, int length) throws IOException {
            byte[] file = files.get(name);
            if (unreadable || file == null || file.length < at + length) {
                throw new EOFException("Input/output error");
            }
            System.arraycopy(file, (int) at, into, 0, length);
        }

        @Override
        public synchronized void delete(long name) {
            files.remove(name);
        }

        @Override
        public synchronized void deleteAll() {
            files.clear();
        }

        synchronized int count() {
            return files.size();
        }
    }

    /** All frames, and where each begins. */
    private static final class Model {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final List<Integer> starts = new ArrayList<>();

        void add(FrameType type, byte[] body, int length) {
            starts.add(bytes.size());
            bytes.writeBytes(("{\"type\":\"" + type.wireName() + "\",\"seq\":" + starts.size()).getBytes(UTF_8));
            bytes.write(body, 0, length);
        }

        long lastSeq() {
            return starts.size();
        }

        int start(long seq) {
            return seq > lastSeq() ? bytes.size() : starts.get((int) seq - 1);
        }

        /** The last frame that ends there or before. */
        long seqBefore(int at) {
            int found = Collections.binarySearch(starts, at);
            return found >= 0 ? found : at == bytes.size() ? lastSeq() : -found - 2;
        }
    }

    private static byte[] body(int length) {
        return Frames.body(1, new Frame.Chunk(null, null, Channel.STDOUT, "x".repeat(length)));
    }

    private static byte[] bytes(List<ByteBuffer> batch) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (ByteBuffer buffer : batch) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            out.writeBytes(bytes);
        }
        return out.toByteArray();
    }

    static LongStream seeds() {
        long first = new Random().nextLong();
        return LongStream.range(first, first + 40);
    }

    /** One run of random steps. */
    private static final class Run {
        private final Random random;
        private final Disk disk = new Disk();
        private final Model model = new Model();
        private final long memoryMax;
        private final long diskMax;
        private final Spill spill;
        private final Outbox outbox;
        private WaitingReader reader;
        private boolean connected;
        private int at;
        private long acked;
        private long unheld;

        Run(long seed) {
            this.random = new Random(seed);
            this.memoryMax = 1L << (8 + random.nextInt(10));
            this.diskMax = 1L << (12 + random.nextInt(10));
            this.spill = new Spill(disk, diskMax);
            this.outbox = new Outbox(memoryMax, spill);
            this.reader = WaitingReader.open(outbox, 1);
            this.connected = true;
        }

        void step() throws Exception {
            switch (random.nextInt(21)) {
                case 0, 1, 2, 3, 4, 5, 6, 7 -> append();
                case 8, 9, 10, 11 -> read();
                case 12, 13, 14 -> ack(acked + (long) (random.nextDouble() * (received() - acked + 1)));
                case 15 -> ack(acked + (long) (random.nextDouble() * (model.lastSeq() - acked + 1)));
                case 16 -> open(acked + 1 + (long) (random.nextDouble() * (model.lastSeq() - acked + 1)));
                case 17 -> open(received() + 1);
                case 18 -> close();
                case 19 -> disk.full = random.nextInt(4) == 0;
                default -> disk.unreadable = random.nextInt(4) == 0;
            }
            assertTrue(outbox.memoryBytes() < memoryMax + Limits.FRAME_BYTES_MAX + unheld);
            assertTrue(spill.bytes() <= diskMax);
        }

        private long received() {
            return Math.max(acked, model.seqBefore(at));
        }

        private void append() {
            byte[] body = body(random.nextInt(random.nextInt(20) == 0 ? 60_000 : 200));
            if (random.nextInt(30) == 0) {
                outbox.appendNow(FrameType.ACCEPTED, body);
                model.add(FrameType.ACCEPTED, body, body.length);
                unheld += body.length + 64;
                return;
            }
            boolean room = outbox.memoryBytes() < memoryMax;
            int files = disk.count();
            boolean taken = outbox.offer(FrameType.CHUNK, body);
            if (room || connected) {
                assertEquals(room, taken);
                assertEquals(files, disk.count(), "no file while a reader is there, or memory has room");
            } else if (!taken) {
                assertTrue(disk.full || !spill.hasRoom() || spill.bytes() + Limits.FRAME_BYTES_MAX > diskMax);
            }
            if (taken) {
                model.add(FrameType.CHUNK, body, body.length);
            }
        }

        private void read() throws InterruptedException {
            if (!connected || at == model.bytes.size()) {
                return;
            }
            try {
                byte[] got = bytes(reader.take());
                assertTrue(got.length > 0);
                assertArrayEquals(Arrays.copyOfRange(model.bytes.toByteArray(), at, at + got.length), got);
                at += got.length;
            } catch (IOException e) {
                assertTrue(disk.unreadable);
            }
        }

        private void ack(long seq) {
            acked = Math.min(seq, model.lastSeq());
            outbox.ack(acked);
            if (outbox.memoryBytes() == 0 && disk.count() == 0) {
                at = model.bytes.size();
            }
            if (!connected && disk.count() > 1) {
                assertTrue(disk.files.higherKey(disk.files.firstKey()) > acked + 1, "a file without a purpose");
            }
        }

        private void open(long seq) {
            long from = Math.min(seq, model.lastSeq() + 1);
            reader = WaitingReader.open(outbox, from);
            connected = true;
            at = model.start(from);
        }

        private void close() {
            reader.close();
            connected = false;
        }

        void finish() throws Exception {
            disk.unreadable = false;
            open(acked + 1);
            while (at < model.bytes.size()) {
                read();
            }
            ack(model.lastSeq());
            assertEquals(0, outbox.memoryBytes());
            assertEquals(0, disk.count());
            assertEquals(0, spill.bytes());
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldKeepEveryFrameInOrderWhenReadersComeAndGoAndTheDiskFails(long seed) throws Exception {
        // Scenario: any order of appends, batches, acks, lost and new connections and faults of the disk.
        Run run = new Run(seed);
        for (int step = 0; step < 1500; step++) {
            run.step();
        }
        run.finish();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldDeliverEveryFrameWhenAnAgentWritesMeanwhile(long seed) throws Exception {
        // Scenario: an agent writes without a pause on its own thread, while connections come, read a little, and go.
        Random random = new Random(seed);
        Disk disk = new Disk();
        Outbox outbox = new Outbox(1 << 14, new Spill(disk, 1 << (16 + random.nextInt(4))));
        Model model = new Model();
        List<byte[]> bodies = new ArrayList<>();
        for (int i = 0; i < FRAMES; i++) {
            bodies.add(body(random.nextInt(400)));
            model.add(FrameType.CHUNK, bodies.get(i), bodies.get(i).length);
        }
        byte[] all = model.bytes.toByteArray();
        Semaphore again = new Semaphore(0);
        CompletableFuture<Void> agent = CompletableFuture.runAsync(() -> bodies.forEach(body -> {
            while (outbox.readiness(again::release) == Outbox.Readiness.LATER) {
                again.acquireUninterruptibly();
            }
            outbox.append(FrameType.CHUNK, body, body.length);
        }));
        int at = 0;
        while (at < all.length) {
            try (WaitingReader reader = WaitingReader.open(outbox, model.seqBefore(at) + 1)) {
                for (int left = random.nextInt(4); left >= 0 && at < all.length; left--) {
                    byte[] got = bytes(reader.take());
                    assertArrayEquals(Arrays.copyOfRange(all, at, at + got.length), got);
                    at += got.length;
                    outbox.ack(model.seqBefore(at));
                }
            }
        }
        agent.get(20, TimeUnit.SECONDS);
        assertEquals(0, disk.count());
    }

    @Test
    void shouldPauseTheAgentWhenAConnectedReaderIsSlow() {
        // Scenario: a connected reader takes nothing: the agent waits, with an empty disk. When the link is lost, it
        // goes on.
        Disk disk = new Disk();
        Outbox outbox = new Outbox(1000, new Spill(disk, 1 << 20));
        WaitingReader slow = WaitingReader.open(outbox, 1);
        byte[] body = body(600);
        outbox.append(FrameType.CHUNK, body, body.length);
        outbox.append(FrameType.CHUNK, body, body.length);
        AtomicInteger again = new AtomicInteger();
        assertEquals(Outbox.Readiness.LATER, outbox.readiness(again::incrementAndGet));
        assertEquals(0, disk.count());
        slow.close();
        assertEquals(1, again.get());
        assertEquals(Outbox.Readiness.NOW, outbox.readiness(again::incrementAndGet));
        assertEquals(1, disk.count());
    }

    @Test
    void shouldNotHoldThePipeBackWhenFramesGoToDisk() throws Exception {
        Outbox outbox = new Outbox(1000, new Spill(new Disk(), 1 << 20));
        byte[] body = body(900);
        outbox.append(FrameType.CHUNK, body, body.length);
        assertEquals(Outbox.Readiness.NOW, outbox.readiness(() -> {}));
    }

    @Test
    void shouldTryTheDiskAgainWhenAnotherReaderCameAndWent() {
        Disk disk = new Disk();
        Outbox outbox = new Outbox(500, new Spill(disk, 1 << 20));
        disk.full = true;
        assertTrue(outbox.offer(FrameType.CHUNK, body(600)));
        assertFalse(outbox.offer(FrameType.CHUNK, body(600)));
        disk.full = false;
        assertFalse(outbox.offer(FrameType.CHUNK, body(600)));
        WaitingReader.open(outbox, 1).close();
        assertTrue(outbox.offer(FrameType.CHUNK, body(600)));
        assertEquals(1, disk.count());
    }

    @Test
    void shouldLeaveNothingWhenClosed() {
        Disk disk = new Disk();
        Outbox outbox = new Outbox(500, new Spill(disk, 1 << 20));
        outbox.offer(FrameType.CHUNK, body(600));
        outbox.offer(FrameType.CHUNK, body(600));
        assertEquals(1, disk.count());
        outbox.close();
        assertEquals(0, disk.count());
        assertFalse(outbox.offer(FrameType.CHUNK, body(600)));
        assertEquals(0, disk.count());
    }
}
