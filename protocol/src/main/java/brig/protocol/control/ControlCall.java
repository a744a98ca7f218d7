package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.record.Flat;
import org.jspecify.annotations.Nullable;

/**
 * A line of the gateway on a control connection.
 *
 * @param id repeated in the answer: a whole number or a text of at most {@value #ID_CHARACTERS_MAX} characters
 */
public record ControlCall(Object id, @Flat ControlRequest request) {
    private static final int ID_CHARACTERS_MAX = 128;

    public ControlCall {
        requireId(id);
    }

    /** Checks the id of a line before the rest is read. @throws brig.protocol.BrigException if it is invalid */
    public static Object requireId(@Nullable Object id) {
        return switch (id) {
            case Long number -> number;
            case String text when text.length() <= ID_CHARACTERS_MAX -> text;
            case null, default -> throw BrigException.invalid("id", "must be a whole number or a short text");
        };
    }
}
