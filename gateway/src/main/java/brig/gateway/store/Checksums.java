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
 * What the bytes of a {@link LineFile} were when they were written: a file beside it, with an entry for each block of
 * lines. Blocks end where an append ended, and within a long one about every 64 KiB. An entry is 24 bytes, big endian:
 * where the block ends in the file (8); the number of its last frame, 0 within an append (8); its CRC-32C (4); the
 * CRC-32C of these 20 bytes (4). So the lines stay what they are, and a file without entries is one of before there
 * were any.
 * Owned by the disk's thread.
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

    /** Where the checksums of that file of lines are. */
    static Path beside(Path lines) {
        return lines.resolveSibling(lines.getFileName() + ".crc32c");
    }

    /** Begins those of a file that is empty. */
    static Checksums create(Path lines) throws IOException {
        return new Checksums(FileChannel.open(
                beside(lines),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING));
    }

    /** The entries of an append that begins at {@code offset}; the pieces are read, and stay as they are. */
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

    /** Adds entries behind what they are of. */
    void add(ByteBuffer entries) throws IOException {
        long at = length;
        while (entries.hasRemaining()) {
            at += channel.write(entries, at);
        }
        length = at;
    }

    /** Cuts off entries that were not added whole. */
    void cut() throws IOException {
        channel.truncate(length);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** The length of all entries so far: where the next one will be. */
    long length() {
        return length;
    }

    /**
     * A block of lines.
     *
     * @param lastSeq number of its last frame; 0 where that is not known
     * @param crc its checksum
     * @param isKnown whether there is a checksum for exactly these bytes
     */
    record Block(long start, long end, long lastSeq, int crc, boolean isKnown) {
        boolean matches(byte[] bytes) {
            return isKnown && bytes.length == end - start && sum(ByteBuffer.wrap(bytes)) == crc;
        }
    }

    /**
     * Reads entries one after the other, a part of them at a time: a piece of a long file must not cost what the whole
     * file does.
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
         * @param lines the file of lines; none of them is known where it has no checksums
         * @param entry where the first entry wanted is
         * @param start where its block begins
         * @param seq the number of the first frame there
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

        /** The next block; null behind the last. */
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
                // Nobody knows where its block ended: together with the next it is one that cannot be checked.
                isKnown = false;
            }
            return null;
        }

        /** Whether there is another whole entry, which then is in the buffer. */
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

        /** Where the last block ended. */
        long end() {
            return start;
        }

        /** Where the entry is that follows those read. */
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
