package brig.client;

import org.jspecify.annotations.Nullable;

/**
 * A place in a stream, from which another process can go on.
 *
 * @param epoch of the stream that {@code next} counts in; null before the first connection
 * @param next the number of the frame that is due
 */
public record Position(@Nullable String epoch, long next) {
    public static final Position BEGINNING = new Position(null, 1);
}
