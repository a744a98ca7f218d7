package brig.gateway.stream;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** A {@link StreamArchive} in memory that works on the same two threads as the real one, and fails on demand. */
public final class MemoryArchive implements StreamArchive {
    private final Executor disk;
    private final Executor loop;
    private final TreeMap<Long, byte[]> lines = new TreeMap<>();
    private long evictedBefore;
    private GapReason missing = GapReason.RECORD_LOST;
    private boolean broken;
    private boolean full;
    private int reads;
    private boolean closed;

    public MemoryArchive(Executor disk, Executor loop) {
        this.disk = disk;
        this.loop = loop;
    }

    /** From now on writing and reading fail, or work again. */
    void setBroken(boolean isBroken) {
        broken = isBroken;
    }

    /** From now on writing fails, or works again. */
    public void setFull(boolean isFull) {
        full = isFull;
    }

    /** Deletes all frames before that one, as a full archive does. */
    public void evictBefore(long seq) {
        lines.headMap(seq).clear();
        evictedBefore = seq;
    }

    /** Loses frames in the middle, as a disk that failed for a while does. */
    void lose(long from, long to) {
        lines.subMap(from, true, to, true).clear();
    }

    /** The same where a checksum does not fit. */
    void damage(long from, long to) {
        lose(from, to);
        missing = GapReason.RECORD_DAMAGED;
    }

    /** How many frames it holds. */
    public int frames() {
        return lines.size();
    }

    /** The number of its newest frame, 0 where there is none. */
    public long lastSeq() {
        return lines.isEmpty() ? 0 : lines.lastKey();
    }

    /** Loses that frame and all behind it. */
    public void forget(long seq) {
        lines.tailMap(seq, true).clear();
    }

    /** Loses all behind the first frame that it does not have. */
    public void cutAtGap() {
        long next = 1;
        while (lines.containsKey(next)) {
            next++;
        }
        forget(next);
    }

    /** Its newest line, empty where there is none. */
    public String last() {
        return lines.isEmpty() ? "" : new String(lines.lastEntry().getValue(), StandardCharsets.UTF_8);
    }

    int reads() {
        return reads;
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public CompletionStage<Void> append(long first, long last, ByteBuf bytes) {
        return onDisk(() -> {
            try {
                checkDisk();
                if (full) {
                    throw new IOException("No space left on device");
                }
                long seq = first;
                while (bytes.isReadable()) {
                    byte[] line = new byte[bytes.bytesBefore((byte) '\n') + 1];
                    bytes.readBytes(line);
                    lines.put(seq++, line);
                }
                if (seq != last + 1) {
                    throw new IllegalStateException(first + " to " + last + " were said, and came to " + (seq - 1));
                }
                return null;
            } finally {
                bytes.release();
            }
        });
    }

    @Override
    public CompletionStage<Stored> read(long fromSeq, int bytesMax) {
        reads++;
        return onDisk(() -> {
            checkDisk();
            Map.Entry<Long, byte[]> next = lines.ceilingEntry(fromSeq);
            if (next == null) {
                return new Stored(fromSeq, new byte[0], GapReason.RECORD_LOST);
            }
            long first = next.getKey();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (long seq = first; lines.containsKey(seq); seq++) {
                byte[] line = lines.get(seq);
                if (out.size() > 0 && out.size() + line.length > bytesMax) {
                    break;
                }
                out.writeBytes(line);
            }
            return new Stored(first, out.toByteArray(), fromSeq < evictedBefore ? GapReason.EVICTED : missing);
        });
    }

    @Override
    public long firstSeq() {
        return lines.isEmpty() ? Long.MAX_VALUE : lines.firstKey();
    }

    @Override
    public CompletionStage<Void> close() {
        return onDisk(() -> {
            closed = true;
            return null;
        });
    }

    private void checkDisk() throws IOException {
        if (broken) {
            throw new IOException("no space left on device");
        }
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    private <T> CompletionStage<T> onDisk(Work<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        disk.execute(() -> {
            try {
                T value = work.run();
                loop.execute(() -> result.complete(value));
            } catch (IOException e) {
                loop.execute(() -> result.completeExceptionally(e));
            }
        });
        return result;
    }
}
