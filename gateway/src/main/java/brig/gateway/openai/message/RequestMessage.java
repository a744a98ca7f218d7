package brig.gateway.openai.message;

import brig.protocol.json.Fields;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that was said, or an item of another type among the input of a response.
 *
 * @param type of an item; null for a message
 * @param content a text, or a list of parts; an assistant that only called tools said nothing
 */
@Extensible
public record RequestMessage(
        @Nullable String type,
        @Nullable String role,
        @Nullable Object content) {
    @Extensible
    private record Part(@Nullable String type, @Nullable String text) {
        boolean isText() {
            return type == null || type.equals("text") || type.equals("input_text") || type.equals("output_text");
        }
    }

    /** Whether something is said by it: what a model thought and called is no part of what was said. */
    public boolean isMessage() {
        return type == null || type.equals("message");
    }

    /** @throws brig.protocol.BrigException {@code INVALID_FIELD} where nobody said it */
    public String requiredRole() {
        if (role == null || role.isEmpty()) {
            throw Fields.invalid("role", "is missing");
        }
        return role;
    }

    /** All of its text. @throws brig.protocol.BrigException {@code INVALID_FIELD} where it is not text alone */
    public String text() {
        return switch (content) {
            case null -> "";
            case String text -> text;
            case List<?> parts -> {
                StringBuilder text = new StringBuilder();
                parts.forEach(part -> text.append(text(part)));
                yield text.toString();
            }
            default -> throw noParts();
        };
    }

    private static String text(@Nullable Object element) {
        if (!(element instanceof JsonObject object)) {
            throw noParts();
        }
        Part part = object.as(Part.class);
        if (!part.isText()) {
            throw Fields.invalid("content", "has a part of type '" + part.type() + "'; an agent takes text");
        }
        return part.text() == null ? "" : part.text();
    }

    private static RuntimeException noParts() {
        return Fields.invalid("content", "must be a list of objects");
    }
}
