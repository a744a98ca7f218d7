package brig.workeragent.tunnel.commands;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * An output of a command that stands between two marks. What comes before is what a login says. A part of a mark is
 * held back, nothing else.
 */
final class MarkedStream {
    private static final int BUFFER_BYTES = 32 * 1024;

    private final InputStream from;
    private final byte[] mark;
    private byte[] pending = new byte[0];
    private boolean ended;

    MarkedStream(InputStream from, String mark) {
        this.from = from;
        this.mark = mark.getBytes(ISO_8859_1);
    }

    /**
     * Passes on what comes before the next mark.
     *
     * @return whether the mark came; otherwise the stream ended
     */
    boolean passToMark(OutputStream to) throws IOException {
        while (true) {
            int at = indexOfMark();
            int free = at < 0 ? pending.length - heldBack() : at;
            if (free > 0) {
                to.write(pending, 0, free);
                to.flush();
            }
            pending = Arrays.copyOfRange(pending, at < 0 ? free : at + mark.length, pending.length);
            if (at >= 0) return true;
            if (ended) {
                to.write(pending);
                pending = new byte[0];
                return false;
            }
            fill();
        }
    }

    /** The rest of the line after a mark; at most {@code max} bytes, without the end of the line. */
    String line(int max) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            for (int i = 0; i < pending.length; i++) {
                if (pending[i] == '\n') {
                    line.write(pending, 0, i);
                    pending = Arrays.copyOfRange(pending, i + 1, pending.length);
                    return line.toString(ISO_8859_1).strip();
                }
            }
            line.write(pending);
            pending = new byte[0];
            if (line.size() > max || ended) throw new IOException("a line after a mark that does not end");
            fill();
        }
    }

    private void fill() throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        int read = from.read(buffer);
        if (read < 0) {
            ended = true;
            return;
        }
        int before = pending.length;
        pending = Arrays.copyOf(pending, before + read);
        System.arraycopy(buffer, 0, pending, before, read);
    }

    private int indexOfMark() {
        for (int at = 0; at + mark.length <= pending.length; at++) {
            if (pending[at] == mark[0] && Arrays.equals(pending, at, at + mark.length, mark, 0, mark.length)) return at;
        }
        return -1;
    }

    /** The length of the longest end of what is pending that begins a mark. */
    private int heldBack() {
        for (int length = Math.min(mark.length - 1, pending.length); length > 0; length--) {
            int start = pending.length - length;
            if (Arrays.equals(pending, start, pending.length, mark, 0, length)) return length;
        }
        return 0;
    }
}
