package brig.client;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Admits each frame once and in order, over any number of connections. One thread uses it. */
final class Progress {
    private @Nullable String epoch;
    private long next;
    private boolean atEnd;

    Progress(Position position) {
        epoch = position.epoch();
        next = position.next();
    }

    long next() {
        return next;
    }

    Position position() {
        return new Position(epoch, next);
    }

    /** Whether the last frame, {@code state terminated}, was admitted. */
    boolean isAtEnd() {
        return atEnd;
    }

    /** A connection begins, with the line {@code authenticated}. Returns a gap where the stream that we were in is gone. */
    @Nullable
    Frame enter(Frame welcome) {
        String entered = welcome.text("epoch");
        if (entered == null || welcome.number("from", 0) < 1) {
            throw violation("Brig says neither where the stream begins nor which it is");
        }
        boolean isSame = epoch == null || epoch.equals(entered);
        epoch = entered;
        if (isSame) {
            return null;
        }
        Map<String, @Nullable Object> gap = new LinkedHashMap<>();
        gap.put("type", "gap");
        gap.put("from", next);
        gap.put("to", next);
        gap.put("reason", "epoch_changed");
        gap.put("epoch", entered);
        next = 1;
        return new Frame(gap);
    }

    /** Goes on behind a message. Returns whether it is new: some may come again when a gateway died. */
    boolean admit(Frame message) {
        if (message.type().equals("gap")) {
            return admitGap(message);
        }
        if (!message.has("seq")) {
            return true;
        }
        long last = message.number("seq", -1);
        long first = message.type().equals("chunk") && message.has("from") ? message.number("from", -1) : last;
        requireNumbers(first, last);
        if (first > next) {
            throw new BrigException("FRAMES_LOST", "frame " + first + " came where " + next + " was due");
        }
        if (first < next && last >= next) {
            throw violation("frames " + first + " to " + last + " came where " + next + " was due");
        }
        if (last < next) {
            return false;
        }
        next = last + 1;
        atEnd = message.type().equals("state") && message.text("state", "").equals("terminated");
        return true;
    }

    private boolean admitGap(Frame gap) {
        long from = gap.number("from", -1);
        long to = gap.number("to", -1);
        requireNumbers(from, to);
        String begun = gap.text("epoch");
        if (begun != null) {
            epoch = begun;
            next = 1;
            return true;
        }
        if (from > next) {
            throw new BrigException("FRAMES_LOST", "a gap from " + from + " on came where frame " + next + " was due");
        }
        boolean isNew = to >= next;
        next = Math.max(next, to + 1);
        return isNew;
    }

    private static void requireNumbers(long first, long last) {
        if (first < 0 || last < first) {
            throw violation("a frame or a gap whose numbers are none");
        }
    }

    private static BrigException violation(String what) {
        return new BrigException("PROTOCOL_VIOLATION", what);
    }
}
