package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.ErrorCode;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.JsonObject;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random lives of a stream against what every reader may rely on: frames in order, each once and byte for byte, nothing
 * missing but what a gap named, and no gap at all for whom the disk has everything. The seed is in the failure;
 * {@code -Dbrig.seed=…} repeats it.
 */
class StreamLogModelTest {
    private static final long MODEL_NS = 2_500_000_000L;
    private static final int STEPS = 400;

    @Test
    void shouldKeepItsPromisesWhateverHappens() {
        Long chosen = Long.getLong("brig.seed");
        // The run is bounded by time, not by a count: a slow machine tries fewer lives.
        long deadline = System.nanoTime() + MODEL_NS;
        long seed = chosen != null ? chosen : System.nanoTime();
        do {
            try {
                new Life(seed).live();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("-Dbrig.seed=" + seed + ": " + e.getMessage(), e);
            }
            seed++;
        } while (chosen == null && System.nanoTime() < deadline);
    }

    /** A life of one stream: what happens is drawn from the seed, and nothing else. */
    private static final class Life {
        private final SplittableRandom random;
        private final Bench bench;
        private final List<Reader> readers = new ArrayList<>();
        private final List<byte[]> sent = new ArrayList<>();
        /** Whether frames may be missing from the archive at all. */
        private final boolean deletes;

        private long evictedBefore = 1;
        /** What a reader found first; thrown in an answer of the disk it would be lost. */
        private @Nullable AssertionError broken;

        Life(long seed) {
            random = new SplittableRandom(seed);
            deletes = random.nextInt(3) == 0;
            bench = new Bench(random.nextBoolean() ? Long.MAX_VALUE : 64 * 1024, 1000).record();
            sent.add(new byte[0]);
        }

        void live() {
            for (int step = 0; step < STEPS; step++) {
                step();
            }
            bench.log.end();
            readers.forEach(Reader::open);
            bench.settle();
            if (broken != null) {
                throw broken;
            }
            for (Reader reader : readers) {
                reader.checkEnd();
            }
            assertFalse(bench.paused, "paused for nobody");
            assertEquals(sent.size() - 1L, bench.acked.getLast());
            assertEquals(1, bench.finished);
            assertEquals(0, bench.log.readerCount());
            bench.log.release();
            assertEquals(0, bench.budget.bytes());
            for (Reader reader : readers) {
                assertTrue(reader.memory.stream().allMatch(buffer -> buffer.refCnt() == 0), "memory is still held");
            }
        }

        private void step() {
            switch (random.nextInt(13)) {
                case 0, 1, 2 -> appendSome();
                case 3, 4 -> turnLoop();
                case 5, 6 -> turnDisk();
                case 7 -> join();
                case 8 -> withAReader(reader -> reader.allow(random.nextInt(4)));
                case 9, 10 -> withAReader(reader -> reader.allow(1 + random.nextInt(200)));
                case 11 -> bench.timers.pass(random.nextInt(40));
                default -> {
                    if (random.nextInt(4) == 0) {
                        withAReader(Reader::leave);
                    } else if (deletes) {
                        evictSome();
                    }
                }
            }
        }

        private void appendSome() {
            // A paused source sends what is on its way, and then waits.
            int frames = bench.paused ? random.nextInt(2) : 1 + random.nextInt(60);
            int size = random.nextInt(4) == 0 ? 60 + random.nextInt(30_000) : 60 + random.nextInt(2_000);
            for (int i = 0; i < frames; i++) {
                long seq = sent.size();
                byte[] frame = frame(seq, random.nextInt(size));
                sent.add(frame);
                bench.log.append(seq, frame, 0, frame.length);
            }
            if (random.nextInt(8) == 0 && sent.size() > 5) {
                long again = sent.size() - 1L - random.nextInt(4);
                byte[] frame = Frames.utf8("it came again and is another one\n");
                bench.log.append(again, frame, 0, frame.length);
            }
        }

        /** Mostly text that may be merged with that before it. */
        private byte[] frame(long seq, int size) {
            String type = random.nextInt(20) == 0 ? "mood" : "chunk";
            String stream = random.nextInt(10) == 0 ? "thought" : "text";
            return Frames.utf8("{\"type\":\"" + type + "\",\"seq\":" + seq + ",\"ts\":" + seq + ",\"stream\":\""
                    + stream + "\",\"content\":\"" + seq + "x".repeat(size) + "\"}\n");
        }

        private void turnLoop() {
            for (int i = random.nextInt(4); i > 0 && !bench.loop.isIdle(); i--) {
                bench.loop.runOne();
            }
        }

        private void turnDisk() {
            for (int i = random.nextInt(4); i > 0 && !bench.disk.isIdle(); i--) {
                bench.disk.runOne();
            }
        }

        private void join() {
            if (readers.size() < 12) {
                long from = random.nextInt(3) == 0 ? 1 : 1 + random.nextLong(bench.log.lastSeq() + 3);
                long latencyMs = random.nextBoolean() ? 0 : 1 + random.nextInt(50);
                Reader reader = new Reader(bench.log.resumePoint(from), random.nextBoolean(), latencyMs);
                readers.add(reader);
                reader.allow(random.nextInt(100));
            }
        }

        private void withAReader(java.util.function.Consumer<Reader> action) {
            if (!readers.isEmpty()) {
                action.accept(readers.get(random.nextInt(readers.size())));
            }
        }

        private void evictSome() {
            long before = 1 + random.nextLong(bench.log.lastSeq() + 1);
            evictedBefore = Math.max(evictedBefore, before);
            bench.archive.evictBefore(before);
        }

        /** A reader and what it knows. */
        private final class Reader implements FrameSink {
            private final Subscription subscription;
            private final List<ByteBuf> memory = new ArrayList<>();
            private final boolean live;
            private final boolean merges;
            private long nextSeq;
            private int room;
            private boolean gone;
            private boolean ended;
            private boolean dirty;

            Reader(long from, boolean tethered, long latencyMs) {
                nextSeq = from;
                merges = latencyMs > 0;
                subscription = bench.log.subscribe(from, tethered, null, latencyMs, this);
                assertEquals(from, subscription.nextSeq());
                live = tethered && bench.log.offsetOf(from) >= 0;
            }

            void allow(int batches) {
                room = batches;
                if (!gone && room > 0) {
                    subscription.drain();
                }
            }

            void open() {
                allow(Integer.MAX_VALUE);
            }

            void leave() {
                gone = true;
                subscription.close();
            }

            @Override
            public boolean isWritable() {
                return room > 0;
            }

            private void check(Runnable promise) {
                try {
                    promise.run();
                } catch (AssertionError e) {
                    broken = broken == null ? e : broken;
                }
            }

            @Override
            public void write(FrameBatch batch) {
                check(() -> take(batch));
            }

            private void take(FrameBatch batch) {
                assertFalse(gone || ended, "written to after its end");
                assertEquals(nextSeq, batch.firstSeq(), "a seam");
                room--;
                dirty = true;
                ByteBuf lines = batch.lines();
                memory.add(lines.unwrap());
                if (merges) {
                    takeMerged(lines.toString(StandardCharsets.UTF_8));
                    lines.release();
                    assertEquals(nextSeq, batch.lastSeq() + 1);
                    return;
                }
                int at = lines.readerIndex();
                for (long seq = batch.firstSeq(); seq <= batch.lastSeq(); seq++) {
                    byte[] expected = sent.get((int) seq);
                    byte[] found = new byte[expected.length];
                    lines.getBytes(at, found);
                    assertEquals(
                            new String(expected, StandardCharsets.UTF_8), new String(found, StandardCharsets.UTF_8));
                    at += expected.length;
                }
                lines.release();
                nextSeq = batch.lastSeq() + 1;
            }

            private void takeMerged(String lines) {
                for (String line : lines.lines().toList()) {
                    NumberedFrame frame = JsonObject.read(Frames.utf8(line)).as(NumberedFrame.class);
                    assertEquals(nextSeq, frame.firstSeq(), "a seam");
                    StringBuilder content = new StringBuilder();
                    for (; nextSeq <= frame.seq(); nextSeq++) {
                        String one = new String(sent.get((int) nextSeq), StandardCharsets.UTF_8);
                        String start = one.substring(one.indexOf("\"stream\""), one.indexOf("\"content\""));
                        assertTrue(line.contains(start), "another text");
                        content.append(one, one.indexOf("\"content\":\"") + 11, one.length() - 3);
                        assertTrue(frame.from() == 0 || one.contains("chunk"), "merged over another frame");
                        assertTrue(frame.from() > 0 || one.equals(line + "\n"), "changed though it is alone");
                    }
                    assertTrue(line.contains("\"content\":\"" + content + "\"}"), "another content");
                }
            }

            @Override
            public void gap(long from, long to, GapReason reason) {
                check(() -> {
                    assertFalse(gone || ended, "told after its end");
                    assertEquals(nextSeq, from, "a gap somewhere else");
                    assertTrue(to >= from, "an empty gap");
                    assertFalse(live, "a tethered reader that was never behind the window lost frames");
                    assertTrue(to < evictedBefore, () -> "nobody deleted " + from + " to " + to + " (" + reason + ")");
                });
                dirty = true;
                nextSeq = to + 1;
            }

            @Override
            public void notice(ErrorCode code, String message) {
                throw new AssertionError(message);
            }

            @Override
            public void throttled(boolean throttled) {}

            @Override
            public void flush() {
                dirty = false;
            }

            @Override
            public void end() {
                assertFalse(gone || ended, "ended twice");
                ended = true;
            }

            void checkEnd() {
                if (!gone) {
                    assertTrue(ended, "did not end; it is at " + nextSeq + " of " + bench.log.lastSeq());
                    assertEquals(sent.size(), nextSeq);
                    assertFalse(dirty, "the last frames were not flushed");
                }
            }
        }
    }
}
