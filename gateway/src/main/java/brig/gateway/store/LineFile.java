package brig.gateway.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * A file of consecutive frames, a line each. A sparse index, an entry about every 64 KiB, finds a frame without reading
 * the file from its beginning; it is made while writing, or by one scan of a file that an earlier process wrote. Owned
 * by the disk's thread.
 */
final class LineFile {
    private static final int INDEX_EVERY_BYTES = 64 * 1024;

    private final Path path;
    private final long firstSeq;
    private final TreeMap<Long, Long> offsetBySeq = new TreeMap<>();
    private long bytes;
    private boolean indexed;

    private LineFile(Path path, long firstSeq, long bytes, boolean indexed) {
        this.path = path;
        this.firstSeq = firstSeq;
        this.bytes = bytes;
        this.indexed = indexed;
    }

    /** A file that is empty and will be written by this process. */
    static LineFile created(Path path, long firstSeq) {
        return new LineFile(path, firstSeq, 0, true);
    }

    /** A file that an earlier process wrote. */
    static LineFile found(Path path, long firstSeq) throws IOException {
        return new LineFile(path, firstSeq, Files.size(path), false);
    }

    Path path() {
        return path;
    }

    /** The length of its whole lines. */
    long bytes() {
        return bytes;
    }

    /** Notes lines that were written at {@code offset}, the first of them with number {@code seq}. */
    void appended(long seq, long offset, int length) {
        if (offsetBySeq.isEmpty() || offset - offsetBySeq.lastEntry().getValue() >= INDEX_EVERY_BYTES) {
            offsetBySeq.put(seq, offset);
        }
        bytes = offset + length;
    }

    /** Scans a file of an earlier process, cuts off an unfinished last line, and returns the number behind its last frame. */
    long recover() throws IOException {
        long next = scan();
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
        }
        return next;
    }

    /** Builds the index; returns the number behind the last whole line. */
    private long scan() throws IOException {
        offsetBySeq.clear();
        long seq = firstSeq;
        long offset = 0;
        long lineStart = 0;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer buffer = ByteBuffer.allocate(INDEX_EVERY_BYTES);
            while (channel.read(buffer.clear(), offset) > 0) {
                offsetBySeq.put(seq, lineStart);
                for (int i = 0; i < buffer.position(); i++) {
                    if (buffer.get(i) == '\n') {
                        seq++;
                        lineStart = offset + i + 1;
                    }
                }
                offset += buffer.position();
            }
        }
        bytes = lineStart;
        indexed = true;
        return seq;
    }

    /** Whole lines from that frame on, about {@code wantedBytes} of them; none where the file ends before it. */
    byte[] read(long fromSeq, int wantedBytes) throws IOException {
        if (!indexed) {
            scan();
        }
        Map.Entry<Long, Long> near = offsetBySeq.floorEntry(fromSeq);
        if (near == null) {
            return new byte[0];
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long start = skipLines(channel, near.getValue(), fromSeq - near.getKey());
            return wholeLines(channel, start, wantedBytes);
        }
    }

    private long skipLines(FileChannel channel, long from, long lines) throws IOException {
        long offset = from;
        long left = lines;
        ByteBuffer buffer = ByteBuffer.allocate(INDEX_EVERY_BYTES);
        while (left > 0 && offset < bytes && channel.read(buffer.clear(), offset) > 0) {
            int at = 0;
            while (left > 0 && at < buffer.position()) {
                if (buffer.get(at++) == '\n') {
                    left--;
                }
            }
            offset += at;
        }
        return offset;
    }

    /** Reads until at least one line is whole, and cuts what is not. */
    private byte[] wholeLines(FileChannel channel, long start, int wantedBytes) throws IOException {
        for (long wanted = wantedBytes; ; wanted *= 2) {
            ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(wanted, Math.max(0, bytes - start)));
            while (buffer.hasRemaining() && channel.read(buffer, start + buffer.position()) > 0) {
                // read on
            }
            int end = buffer.position();
            while (end > 0 && buffer.get(end - 1) != '\n') {
                end--;
            }
            if (end > 0 || buffer.capacity() < wanted) {
                return Arrays.copyOf(buffer.array(), end);
            }
        }
    }
}
