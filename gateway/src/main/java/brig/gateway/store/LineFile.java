package brig.gateway.store;

import java.io.ByteArrayOutputStream;
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
 * the file from its beginning; it is made while writing, or of the {@link Checksums} beside the file, or by one scan
 * of a file that has none. What has a checksum is read only if it still is what was written. Owned by the disk's
 * thread.
 *
 * <p>Decision 0128.
 */
final class LineFile {
    private static final int INDEX_EVERY_BYTES = 64 * 1024;
    /** Some times what is written at once: a checksum of more is none of ours. */
    private static final int BLOCK_BYTES_MAX = 16 * 1024 * 1024;

    private final Path path;
    private final long firstSeq;
    private final TreeMap<Long, Place> places = new TreeMap<>();
    private long bytes;
    private boolean indexed;

    /**
     * Where a frame begins.
     *
     * @param entry where its entry is in the file of checksums
     */
    private record Place(long offset, long entry) {}

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

    /**
     * Notes lines that were written at {@code offset}, the first of them with number {@code seq}, and their checksums at
     * {@code entry}.
     */
    void appended(long seq, long offset, int length, long entry) {
        if (places.isEmpty() || offset - places.lastEntry().getValue().offset() >= INDEX_EVERY_BYTES) {
            places.put(seq, new Place(offset, entry));
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

    /** Builds the index, of checksums as far as there are any; returns the number behind the last whole line. */
    private long scan() throws IOException {
        places.clear();
        long seq = firstSeq;
        long lineStart = 0;
        long entry = 0;
        try (Checksums.Walk walk = new Checksums.Walk(path, 0, 0, firstSeq)) {
            for (Checksums.Block block = walk.next(); block != null; block = walk.next()) {
                if (block.lastSeq() > 0) {
                    appended(seq, lineStart, (int) (block.end() - lineStart), entry);
                    seq = block.lastSeq() + 1;
                    lineStart = block.end();
                    entry = walk.entry();
                }
            }
        }
        bytes = lineStart;
        indexed = true;
        return scanLines(seq, new Place(lineStart, entry));
    }

    private long scanLines(long fromSeq, Place from) throws IOException {
        long seq = fromSeq;
        long offset = from.offset();
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer buffer = ByteBuffer.allocate(INDEX_EVERY_BYTES);
            while (channel.read(buffer.clear(), offset) > 0) {
                places.put(seq, new Place(bytes, from.entry()));
                for (int i = 0; i < buffer.position(); i++) {
                    if (buffer.get(i) == '\n') {
                        seq++;
                        bytes = offset + i + 1;
                    }
                }
                offset += buffer.position();
            }
        }
        return seq;
    }

    /**
     * Lines that were read.
     *
     * @param firstSeq the number of the first; where there is none, of the frame behind what was looked at
     * @param isDamaged whether frames before it are there, and are not what was written
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on once, never compared
    record Piece(long firstSeq, byte[] lines, boolean isDamaged) {}

    /**
     * Whole lines from that frame on, or from the first behind it that is as it was written; about {@code wantedBytes}
     * of them. None where the file ends before it.
     */
    Piece read(long fromSeq, int wantedBytes) throws IOException {
        if (!indexed) {
            scan();
        }
        Map.Entry<Long, Place> near = places.floorEntry(fromSeq);
        if (near == null) {
            return new Piece(fromSeq, new byte[0], false);
        }
        Place from = near.getValue();
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
                Checksums.Walk blocks = new Checksums.Walk(path, from.entry(), from.offset(), near.getKey())) {
            Piece checked = readBlocks(channel, blocks, near.getKey(), fromSeq, wantedBytes);
            if (checked.lines().length > 0) {
                return checked;
            }
            // Behind the last block: lines of before there were checksums, or of a process that died before it wrote
            // one.
            long seq = checked.firstSeq();
            long start = skipLines(channel, blocks.end(), Math.max(0, fromSeq - seq));
            return new Piece(Math.max(fromSeq, seq), wholeLines(channel, start, wantedBytes), checked.isDamaged());
        }
    }

    /**
     * Reads blocks, the first of which begins with frame {@code firstOfBlocks}, until there are lines from {@code
     * fromSeq} on.
     */
    private Piece readBlocks(
            FileChannel channel, Checksums.Walk blocks, long firstOfBlocks, long fromSeq, int wantedBytes)
            throws IOException {
        Window window = new Window(channel, wantedBytes);
        ByteArrayOutputStream found = new ByteArrayOutputStream();
        long firstFound = 0;
        long seq = firstOfBlocks;
        boolean isWhole = true;
        for (Checksums.Block block = blocks.next(); block != null; block = blocks.next()) {
            if (block.lastSeq() > 0 && block.lastSeq() < fromSeq) {
                seq = block.lastSeq() + 1;
                isWhole = true;
                continue;
            }
            byte[] lines = isWhole ? window.bytesOf(block) : new byte[0];
            isWhole = isWhole && block.matches(lines);
            if (isWhole) {
                long next = block.lastSeq() > 0 ? block.lastSeq() + 1 : seq + lines(lines);
                if (block.lastSeq() == 0) {
                    places.put(next, new Place(block.end(), blocks.entry()));
                }
                int skipped = skipLines(lines, Math.max(0, fromSeq - seq));
                int end = firstLines(lines, skipped, wantedBytes - found.size(), found.size() == 0);
                firstFound = found.size() == 0 ? Math.max(fromSeq, seq) : firstFound;
                found.write(lines, skipped, end - skipped);
                if (end < lines.length) {
                    break;
                }
                seq = next;
            } else if (found.size() > 0) {
                break;
            } else if (block.lastSeq() > 0) {
                // Only where an append ended is it known which frame comes next.
                seq = block.lastSeq() + 1;
                isWhole = true;
            }
        }
        return found.size() == 0
                ? new Piece(seq, new byte[0], seq > fromSeq)
                : new Piece(firstFound, found.toByteArray(), firstFound > fromSeq);
    }

    /** A part of the file in memory, so that many small blocks are one read. */
    private static final class Window {
        private final FileChannel channel;
        private final int bytesMin;
        private byte[] bytes = new byte[0];
        private long from;

        Window(FileChannel channel, int bytesMin) {
            this.channel = channel;
            this.bytesMin = bytesMin;
        }

        /** The bytes of a block, as far as they are there. */
        byte[] bytesOf(Checksums.Block block) throws IOException {
            int length = (int) Math.min(block.end() - block.start(), BLOCK_BYTES_MAX);
            if (block.start() < from || block.start() + length > from + bytes.length) {
                from = block.start();
                ByteBuffer buffer = ByteBuffer.allocate(Math.max(length, bytesMin));
                while (buffer.hasRemaining() && channel.read(buffer, from + buffer.position()) > 0) {
                    // read on
                }
                bytes = Arrays.copyOf(buffer.array(), buffer.position());
            }
            int start = (int) (block.start() - from);
            return Arrays.copyOfRange(bytes, start, Math.min(start + length, bytes.length));
        }
    }

    private static long lines(byte[] bytes) {
        long lines = 0;
        for (byte b : bytes) {
            lines += b == '\n' ? 1 : 0;
        }
        return lines;
    }

    private static int skipLines(byte[] bytes, long lines) {
        int at = 0;
        for (long left = lines; left > 0 && at < bytes.length; at++) {
            left -= bytes[at] == '\n' ? 1 : 0;
        }
        return at;
    }

    /** Where as many whole lines from {@code from} on end as fit; one at least, where that is wanted. */
    private static int firstLines(byte[] bytes, int from, int wantedBytes, boolean atLeastOne) {
        int end = (int) Math.min(bytes.length, (long) from + Math.max(wantedBytes, 0));
        while (end > from && bytes[end - 1] != '\n') {
            end--;
        }
        if (end == from && atLeastOne && from < bytes.length) {
            while (end < bytes.length && bytes[end++] != '\n') {
                // To the end of the line.
            }
        }
        return end;
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
