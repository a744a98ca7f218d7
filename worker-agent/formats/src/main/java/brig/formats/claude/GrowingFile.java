package brig.formats.claude;

import brig.formats.adapter.NativeLines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads a file that grows meanwhile: each complete line once. Owned by one thread at a time. */
final class GrowingFile implements TranscriptFile {
    private static final int READ_BYTES = 1024 * 1024;
    private static final byte[] NOTHING = {};

    private final Path path;
    /** Bytes that were read and not taken yet, from {@link #at} on. */
    private byte[] bytes = NOTHING;

    private int at;
    /** The file position at which the bytes end. */
    private long readUpTo;

    private boolean givenUp;
    private boolean finished;
    /** Whether the current line is dropped up to its end. */
    private boolean dropping;

    private int dropped;
    private @Nullable Object key;

    GrowingFile(Path path) {
        this.path = path;
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public void giveUp() {
        givenUp = true;
    }

    @Override
    public void finish() {
        finished = true;
    }

    @Override
    public int takeDropped() {
        int lines = dropped;
        dropped = 0;
        return lines;
    }

    @Override
    public byte @Nullable [] line() throws IOException {
        int end = end();
        if (end < 0 && !givenUp && Files.size(path) != readUpTo) {
            read();
            end = end();
        }
        if (end < 0 && at > 0) {
            bytes = Arrays.copyOfRange(bytes, at, bytes.length);
            at = 0;
        }
        if (end < 0 && finished && at < bytes.length && !dropping) {
            end = bytes.length;
        }
        return end < 0 || givenUp ? null : Arrays.copyOfRange(bytes, at, end);
    }

    @Override
    public void next() {
        int end = end();
        at = end < 0 ? bytes.length : end + 1;
    }

    private int end() {
        for (int i = at; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    /** Reads until there is a complete line or the file ends. */
    private void read() throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            Object now = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            if (channel.size() < readUpTo || (key != null && !key.equals(now))) {
                throw new IOException(path + " was truncated or replaced while it was read");
            }
            key = now;
            do {
                ByteBuffer more = ByteBuffer.allocate((int) Math.min(READ_BYTES, channel.size() - readUpTo));
                while (more.hasRemaining() && channel.read(more, readUpTo + more.position()) > 0) {
                    // read on
                }
                byte[] rest = Arrays.copyOfRange(bytes, at, bytes.length + more.position());
                System.arraycopy(more.array(), 0, rest, bytes.length - at, more.position());
                bytes = rest;
                at = 0;
                readUpTo += more.position();
                if (more.position() == 0) {
                    return;
                }
                drop();
            } while (end() < 0);
        }
    }

    /** Drops an overlong line, and the rest of one. */
    private void drop() {
        int end = end();
        if (dropping && end >= 0) {
            at = end + 1;
            dropping = false;
        } else if (end < 0 && (dropping || bytes.length > NativeLines.LINE_BYTES_MAX)) {
            dropped += dropping ? 0 : 1;
            dropping = true;
            bytes = NOTHING;
        }
    }
}
