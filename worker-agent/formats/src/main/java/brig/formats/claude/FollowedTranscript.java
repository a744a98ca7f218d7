package brig.formats.claude;

import brig.formats.adapter.NativeLines;
import java.nio.file.Path;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Lines of a transcript that are brought here. Those that wait for their place in the tree are bounded. */
final class FollowedTranscript implements TranscriptFile {
    /** One line of any length fits. */
    static final int WAITING_BYTES_MAX = 2 * NativeLines.LINE_BYTES_MAX;

    private final Path path;
    private final ArrayDeque<byte[]> lines = new ArrayDeque<>();
    private long bytes;
    private int dropped;

    FollowedTranscript(Path path) {
        this.path = path;
    }

    void add(byte[] line) {
        if (bytes + line.length > WAITING_BYTES_MAX) {
            dropped++;
            return;
        }
        bytes += line.length;
        lines.add(line);
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public byte @Nullable [] line() {
        return lines.peek();
    }

    @Override
    public void next() {
        bytes -= lines.remove().length;
    }

    @Override
    public int takeDropped() {
        int taken = dropped;
        dropped = 0;
        return taken;
    }

    @Override
    public void giveUp() {
        lines.clear();
        bytes = 0;
    }

    /** Only complete lines come. */
    @Override
    public void finish() {}
}
