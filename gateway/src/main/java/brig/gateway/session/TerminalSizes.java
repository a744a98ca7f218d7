package brig.gateway.session;

import brig.protocol.spawn.TerminalSize;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The sizes of the terminals of a session's captains, of which one size counts for the agent's: that of the captain who
 * typed last, and while none did, the newest; or the smallest in both directions. A size ends with its connection. Owned
 * by the event loop.
 */
final class TerminalSizes {
    /** @param typed when its captain typed last, as a number that grows; 0 for never */
    private record Seat(TerminalSize size, long typed) {}

    private final LinkedHashMap<Object, Seat> seats = new LinkedHashMap<>();
    private long keys;
    private @Nullable TerminalSize told;

    /** The captain of a connection resized its terminal. */
    void resize(Object connection, TerminalSize size) {
        Seat before = seats.remove(connection);
        seats.put(connection, new Seat(size, before == null ? 0 : before.typed()));
    }

    /** The captain of a connection typed. */
    void type(Object connection) {
        seats.computeIfPresent(connection, (same, seat) -> new Seat(seat.size(), ++keys));
    }

    void leave(Object connection) {
        seats.remove(connection);
    }

    /** The size that the agent's terminal is to get; empty if it has it. */
    Optional<TerminalSize> news(boolean smallest) {
        TerminalSize wanted = smallest ? smallest() : ofWhoTyped();
        if (wanted == null || wanted.equals(told)) {
            return Optional.empty();
        }
        told = wanted;
        return Optional.of(wanted);
    }

    private @Nullable TerminalSize smallest() {
        return seats.values().stream()
                .map(Seat::size)
                .reduce((one, other) ->
                        new TerminalSize(Math.min(one.cols(), other.cols()), Math.min(one.rows(), other.rows())))
                .orElse(null);
    }

    private @Nullable TerminalSize ofWhoTyped() {
        return seats.sequencedValues().reversed().stream()
                .max(Comparator.comparingLong(Seat::typed))
                .map(Seat::size)
                .orElse(null);
    }
}
