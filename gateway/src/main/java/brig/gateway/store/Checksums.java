package brig.gateway.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The checksums of a {@link LineFile}, in a file beside it with an entry per block of lines. Blocks end with an append,
 * and within a long one about every 64 KiB. An entry is 24 bytes, big endian: the end of the block in the file (8); the
 * number of its last frame, 0 within an append (8); its CRC-32C (4); the CRC-32C of these 20 bytes (4). The lines
 * themselves are unchanged; a file without entries predates checksums. Owned by the disk's thread.
 *
 * <p>Decision 0128.
 */
final class Checksums implements Closeable {
    private static final int ENTRY_BYTES = 24;
    private static final int COVERED_BYTES = 20;
    private static final int BLOCK_BYTES = 64 * 1024;

    private final FileChannel channel;
    private long length;

    private Checksums(FileChannel channel) {
        this.channel = channel;
    }

    /** The path of the checksums for that file of lines. */
    static Path beside(Path lines) {
        return lines.resolveSibling(lines.getFileName() + ".crc32c");
    }

    /** Creates the checksums of an empty file. */
    static Checksums create(Path lines) throws IOException {
        return new Checksums(FileChannel.open(
                beside(lines),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING));
    }

    /** The entries of an append at {@code offset}; the pieces are read, but not changed. */
    static ByteBuffer entries(ByteBuffer[] pieces, long offset, long lastSeq) {
        ByteBuffer entries = ByteBuffer.allocate(pieces.length * ENTRY_BYTES);
        CRC32C crc = new CRC32C();
        long start = offset;
        long end = offset;
        for (int i = 0; i < pieces.length; i++) {
            ByteBuffer piece = pieces[i];
            end += piece.remaining();
            crc.update(piece.duplicate());
            boolean isLast = i == pieces.length - 1;
            if (isLast || (end - start + pieces[i + 1].remaining() > BLOCK_BYTES && endsLine(piece))) {
                put(entries, end, isLast ? lastSeq : 0, (int) crc.getValue());
                crc.reset();
                start = end;
            }
        }
        return entries.flip();
    }

    private static boolean endsLine(ByteBuffer piece) {
        return piece.hasRemaining() && piece.get(piece.limit() - 1) == '\n';
    }

    private static void put(ByteBuffer entries, long end, long lastSeq, int sum) {
        int from = entries.position();
        entries.putLong(end).putLong(lastSeq).putInt(sum);
        entries.putInt(sum(entries.duplicate().flip().position(from)));
    }

    private static int sum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** Appends entries for lines already written. */
    void add(ByteBuffer entries) throws IOException {
        long at = length;
        while (entries.hasRemaining()) {
            at += channel.write(entries, at);
        }
        length = at;
    }

    /** Truncates a partially written entry. */
    void cut() throws IOException {
        channel.truncate(length);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** The length of all entries so far, which is the offset of the next. */
    long length() {
        return length;
    }

    /**
     * A block of lines.
     *
     * @param lastSeq number of its last frame; 0 if unknown
     * @param crc its checksum
     * @param isKnown whether there is a checksum for exactly these bytes
     */
    record Block(long start, long end, long lastSeq, int crc, boolean isKnown) {
        boolean matches(byte[] bytes) {
            return isKnown && bytes.length == end - start && sum(ByteBuffer.wrap(bytes)) == crc;
        }
    }

    /**
     * Reads entries in order, a part at a time, so that reading a piece of a long file does not cost as much as the
     * whole.
     */
    static final class Walk implements Closeable {
        private static final int READ_BYTES = 1024 * ENTRY_BYTES;

        private final @Nullable FileChannel channel;
        private final ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES).limit(0);
        private long readTo;
        private long entry;
        private long start;
        private long lastSeq;

        /**
         * @param lines the file of lines; without checksums all its blocks are unknown
         * @param entry offset of the first entry wanted
         * @param start offset of its block
         * @param seq number of the first frame there
         */
        Walk(Path lines, long entry, long start, long seq) throws IOException {
            this.channel = open(beside(lines));
            this.readTo = entry;
            this.entry = entry;
            this.start = start;
            this.lastSeq = seq - 1;
        }

        private static @Nullable FileChannel open(Path file) throws IOException {
            try {
                return FileChannel.open(file, StandardOpenOption.READ);
            } catch (NoSuchFileException e) {
                return null;
            }
        }

        /** The next block; null at the end. */
        @Nullable
        Block next() throws IOException {
            boolean isKnown = true;
            while (fill()) {
                int at = buffer.position();
                long end = buffer.getLong(at);
                long last = buffer.getLong(at + Long.BYTES);
                int crc = buffer.getInt(at + 2 * Long.BYTES);
                boolean isSound =
                        sum(buffer.duplicate().limit(at + COVERED_BYTES)) == buffer.getInt(at + COVERED_BYTES);
                buffer.position(at + ENTRY_BYTES);
                entry += ENTRY_BYTES;
                if (isSound && end > start && (last == 0 || last > lastSeq)) {
                    Block block = new Block(start, end, last, crc, isKnown);
                    start = end;
                    lastSeq = Math.max(lastSeq, last);
                    return block;
                }
                // The end of its block is unknown: together with the next it forms one that cannot be checked.
                isKnown = false;
            }
            return null;
        }

        /** Loads the next whole entry into the buffer, if there is one. */
        private boolean fill() throws IOException {
            if (buffer.remaining() < ENTRY_BYTES && channel != null) {
                buffer.compact();
                for (int count = 1; count > 0 && buffer.position() < ENTRY_BYTES; ) {
                    count = channel.read(buffer, readTo);
                    readTo += Math.max(count, 0);
                }
                buffer.flip();
            }
            return buffer.remaining() >= ENTRY_BYTES;
        }

        /** The end of the last block. */
        long end() {
            return start;
        }

        /** The offset of the next entry. */
        long entry() {
            return entry;
        }

        @Override
        public void close() throws IOException {
            if (channel != null) {
                channel.close();
            }
        }
    }
}
