package brig.gateway.openai.message;

import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message, or an input item of another type in a response request.
 *
 * @param type of an item; null for a message
 * @param toolCallId the call that a message of a tool answers
 * @param callId the call that an item answers
 * @param output the result in such an item
 * @param content a text, or a list of parts; null for an assistant message with tool calls only
 */
@Extensible
public record RequestMessage(
        @Nullable String type,
        @Nullable String role,
        @Nullable String toolCallId,
        @Nullable String callId,
        @Nullable Object output,
        @Nullable Object content) {
    @Extensible
    private record Part(@Nullable String type, @Nullable String text) {
        boolean isText() {
            return type == null || type.equals("text") || type.equals("input_text") || type.equals("output_text");
        }
    }

    /** Whether it is a message; a model's reasoning and tool calls are not. */
    public boolean isMessage() {
        return type == null || type.equals("message");
    }

    /** @throws brig.protocol.BrigException {@code INVALID_FIELD} if it has no role */
    public String requiredRole() {
        if (role == null || role.isEmpty()) {
            throw BrigException.invalid("role", "is missing");
        }
        return role;
    }

    /** The text of a call's result. */
    public String result() {
        return output == null ? text() : text(output);
    }

    /** All of its text. @throws brig.protocol.BrigException {@code INVALID_FIELD} if it has other content */
    public String text() {
        return text(content);
    }

    private static String text(@Nullable Object content) {
        return switch (content) {
            case null -> "";
            case String text -> text;
            case List<?> parts -> {
                StringBuilder text = new StringBuilder();
                parts.forEach(part -> text.append(part(part)));
                yield text.toString();
            }
            default -> throw noParts();
        };
    }

    private static String part(@Nullable Object element) {
        if (!(element instanceof JsonObject object)) {
            throw noParts();
        }
        Part part = object.as(Part.class);
        if (!part.isText()) {
            throw BrigException.invalid("content", "has a part of type '" + part.type() + "'; an agent takes text");
        }
        return part.text() == null ? "" : part.text();
    }

    private static RuntimeException noParts() {
        return BrigException.invalid("content", "must be a list of objects");
    }
}
