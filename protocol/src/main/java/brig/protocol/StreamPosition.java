package brig.protocol;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A position in a stream: the epoch and the sequence number of the last frame received, 0 for none. On the wire it is
 * {@code <epoch>-<seq>}, which is also the {@code id} of a server-sent event.
 */
public record StreamPosition(String epoch, long seq) {
    /** Stands for the number of a first frame wanted: that of the newest whole checkpoint of a terminal. */
    public static final long SCREEN = -1;

    private static final Pattern WIRE = Pattern.compile("([0-9a-z]{8})-([0-9]{1,18})");

    /** Parses the wire form; empty if the text is malformed. */
    public static Optional<StreamPosition> parse(String text) {
        var match = WIRE.matcher(text);
        return match.matches()
                ? Optional.of(new StreamPosition(match.group(1), Long.parseLong(match.group(2))))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return epoch + "-" + seq;
    }
}
