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
 * A file of consecutive frames, one per line. A sparse index, with an entry about every 64 KiB, locates frames without
 * reading from the beginning. It is built while writing, from the {@link Checksums} beside the file, or by one scan of
 * a file without any. Lines with a checksum are verified when read. Owned by the disk's thread.
 *
 * <p>Decision 0128.
 */
final class LineFile {
    private static final int INDEX_EVERY_BYTES = 64 * 1024;
    /** Several times the largest write: a longer block was not written by Brig. */
    private static final int BLOCK_BYTES_MAX = 16 * 1024 * 1024;

    private final Path path;
    private final long firstSeq;
    private final TreeMap<Long, Place> places = new TreeMap<>();
    private long bytes;
    private boolean indexed;

    /**
     * The place of a frame.
     *
     * @param entry offset of its entry in the checksums
     */
    private record Place(long offset, long entry) {}

    private LineFile(Path path, long firstSeq, long bytes, boolean indexed) {
        this.path = path;
        this.firstSeq = firstSeq;
        this.bytes = bytes;
        this.indexed = indexed;
    }

    /** An empty file that this process will write. */
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
     * Indexes lines written at {@code offset}, the first with number {@code seq}, whose checksums are at {@code entry}.
     */
    void appended(long seq, long offset, int length, long entry) {
        if (places.isEmpty() || offset - places.lastEntry().getValue().offset() >= INDEX_EVERY_BYTES) {
            places.put(seq, new Place(offset, entry));
        }
        bytes = offset + length;
    }

    /** Scans an earlier process's file, truncates an unfinished line; returns the number after its last frame. */
    long recover() throws IOException {
        long next = scan();
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
        }
        return next;
    }

    /** Builds the index, from checksums where they exist; returns the number after the last whole line. */
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
     * @param firstSeq the number of the first; without lines, the number after the frames examined
     * @param isDamaged whether preceding frames exist but are damaged
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on once, never compared
    record Piece(long firstSeq, byte[] lines, boolean isDamaged) {}

    /**
     * Whole lines from that frame, or the first undamaged one after it, about {@code wantedBytes} of them. Empty if the
     * file ends before it.
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
            // After the last block: lines that predate checksums, or of a process that died before writing one.
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
                // The number of the next frame is only known at the end of an append.
                seq = block.lastSeq() + 1;
                isWhole = true;
            }
        }
        return found.size() == 0
                ? new Piece(seq, new byte[0], seq > fromSeq)
                : new Piece(firstFound, found.toByteArray(), firstFound > fromSeq);
    }

    /** A buffered part of the file, so that many small blocks take one read. */
    private static final class Window {
        private final FileChannel channel;
        private final int bytesMin;
        private byte[] bytes = new byte[0];
        private long from;

        Window(FileChannel channel, int bytesMin) {
            this.channel = channel;
            this.bytesMin = bytesMin;
        }

        /** The bytes of a block, as far as available. */
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

    /** The end of as many whole lines from {@code from} on as fit; at least one, if so requested. */
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

    /** Reads until at least one line is whole, and drops the partial one. */
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
