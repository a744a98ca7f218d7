package brig.gateway.deploy;

import brig.protocol.VisibleText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The last bytes of what a program wrote. They come from another host: they may be anything. */
public final class Tail {
    public static final int BYTES_MAX = 64 * 1024;
    /** Nothing was written. */
    public static final Tail NONE = new Tail(new byte[0], false);

    private static final int SHOWN_MAX = 400;

    private final byte[] bytes;
    private final boolean truncated;

    Tail(byte[] bytes, boolean truncated) {
        this.bytes = bytes;
        this.truncated = truncated;
    }

    /** At most {@link #BYTES_MAX}. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Whether there were more before them. */
    public boolean truncated() {
        return truncated;
    }

    /** Collects output of any length in bounded memory. */
    public static final class Collector {
        private final byte[] ring = new byte[BYTES_MAX];
        private long total;

        public synchronized void add(byte[] from, int length) {
            int skipped = Math.max(0, length - BYTES_MAX);
            total += skipped;
            for (int at = skipped; at < length; at++) {
                ring[(int) (total++ % BYTES_MAX)] = from[at];
            }
        }

        /** Collects all that comes until it ends or breaks. */
        public void addAll(InputStream from) {
            byte[] chunk = new byte[BYTES_MAX];
            try (from) {
                for (int read = from.read(chunk); read >= 0; read = from.read(chunk)) {
                    add(chunk, read);
                }
            } catch (IOException broken) {
                return;
            }
        }

        public synchronized Tail tail() {
            int kept = (int) Math.min(total, BYTES_MAX);
            byte[] bytes = new byte[kept];
            for (int at = 0; at < kept; at++) {
                bytes[at] = ring[(int) ((total - kept + at) % BYTES_MAX)];
            }
            return new Tail(bytes, total > BYTES_MAX);
        }
    }

    /** The text, whatever its bytes are. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    public List<String> lines() {
        return text().lines().toList();
    }

    /** The last line that begins with a brace; login shells may write before it. Null for none. */
    public byte @Nullable [] lastObject() {
        List<String> objects = objects();
        return objects.isEmpty() ? null : objects.getLast().getBytes(StandardCharsets.UTF_8);
    }

    /** The lines that begin with a brace. */
    public List<String> objects() {
        return lines().stream().filter(line -> line.startsWith("{")).toList();
    }

    /** The last lines for a person, short and harmless. */
    public String shown() {
        List<String> lines = new ArrayList<>();
        int room = SHOWN_MAX;
        for (String line : lines().reversed()) {
            String said = line.strip();
            if (said.isEmpty()) {
                continue;
            }
            if (said.length() > room) {
                if (lines.isEmpty()) {
                    lines.add(said.substring(said.length() - room));
                }
                break;
            }
            lines.add(said);
            room -= said.length();
        }
        return VisibleText.of(String.join(" | ", lines.reversed()));
    }
}
