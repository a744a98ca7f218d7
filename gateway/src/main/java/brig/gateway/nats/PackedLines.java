package brig.gateway.nats;

import io.nats.client.impl.Headers;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a run as they are sent: deflated, if that gains something. Frames repeat themselves, and every server of NATS
 * writes each byte twice.
 */
final class PackedLines {
    /** Fewer are sent as they are. */
    static final int BYTES_MIN = 1024;
    /** No run has more: it would be refused by max_payload. */
    static final int BYTES_MAX = 8 * 1024 * 1024;
    /** Has the number of bytes before deflating. */
    private static final String DEFLATED = "Brig-Deflated";

    private PackedLines() {}

    /** What is sent, with what is needed to read it in the headers. */
    static byte[] pack(byte[] lines, Headers headers) {
        if (lines.length < BYTES_MIN) {
            return lines;
        }
        byte[] packed = new byte[lines.length];
        Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
        try {
            deflater.setInput(lines);
            deflater.finish();
            int length = deflater.deflate(packed);
            if (!deflater.finished()) {
                return lines;
            }
            headers.add(DEFLATED, String.valueOf(lines.length));
            return Arrays.copyOf(packed, length);
        } finally {
            deflater.end();
        }
    }

    /** Null if it is not what {@link #pack} makes. */
    static byte @Nullable [] unpack(byte[] data, Headers headers) {
        String bytes = headers.getFirst(DEFLATED);
        if (bytes == null) {
            return data;
        }
        long length = NatsLog.number(bytes);
        if (length < BYTES_MIN || length > BYTES_MAX) {
            return null;
        }
        byte[] lines = new byte[(int) length];
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(data);
            return inflater.inflate(lines) == length && isAtEnd(inflater) ? lines : null;
        } catch (DataFormatException e) {
            return null;
        } finally {
            inflater.end();
        }
    }

    /** Whether there is nothing more; the end may only be seen when more is asked for. */
    private static boolean isAtEnd(Inflater inflater) throws DataFormatException {
        return inflater.finished() || (inflater.inflate(new byte[1]) == 0 && inflater.finished());
    }
}
