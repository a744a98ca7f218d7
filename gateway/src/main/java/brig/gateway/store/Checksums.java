package brig.gateway.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * What the bytes of a {@link LineFile} were when they were written: a file beside it, with an entry for each block of
 * lines. Blocks end where an append ended, and within a long one about every 64 KiB. An entry is 24 bytes, big endian:
 * where the block ends in the file (8); the number of its last frame, 0 within an append (8); its CRC-32C (4); the
 * CRC-32C of these 20 bytes (4). So the lines stay what they are, and a file without entries is one of before there
 * were any.
 * Owned by the disk's thread.
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
        return new Checksums(FileChannel.open(beside(lines),
                StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING));
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

    /** The blocks of a file of lines, from its beginning on; none where it has no checksums. */
    static List<Block> load(Path lines) throws IOException {
        List<Block> blocks = new ArrayList<>();
        ByteBuffer stored;
        try {
            stored = ByteBuffer.wrap(Files.readAllBytes(beside(lines)));
        } catch (NoSuchFileException e) {
            return blocks;
        }
        long start = 0;
        long lastSeq = 0;
        boolean isKnown = true;
        for (int at = 0; at + ENTRY_BYTES <= stored.limit(); at += ENTRY_BYTES) {
            long end = stored.getLong(at);
            long last = stored.getLong(at + Long.BYTES);
            int itself = sum(stored.duplicate().position(at).limit(at + COVERED_BYTES));
            if (itself != stored.getInt(at + COVERED_BYTES) || end <= start || (last != 0 && last <= lastSeq)) {
                // Nobody knows where its block ended: together with the next it is one that cannot be checked.
                isKnown = false;
                continue;
            }
            blocks.add(new Block(start, end, last, stored.getInt(at + 2 * Long.BYTES), isKnown));
            isKnown = true;
            start = end;
            lastSeq = Math.max(lastSeq, last);
        }
        return blocks;
    }
}
