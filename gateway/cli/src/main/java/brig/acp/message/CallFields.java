package brig.acp.message;

import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A tool call, or what is new about it: null is what stays.
 *
 * @param title for a person; never null where the call is told first
 * @param rawInput what the tool was called with
 * @param locations the files that it is about
 * @param content replaces what was shown before
 */
@CamelCase
public record CallFields(
        String toolCallId,
        @Nullable String title,
        @Nullable Kind kind,
        @Nullable Status status,
        @Nullable JsonObject rawInput,
        @Nullable List<Location> locations,
        @Nullable List<Content> content,
        @Name("_meta") @Nullable Meta meta) {
    /** What a tool does. */
    public enum Kind {
        READ,
        EDIT,
        DELETE,
        MOVE,
        SEARCH,
        EXECUTE,
        THINK,
        FETCH,
        OTHER;

        /** The kind of that name. */
        public static Kind of(String name) {
            for (Kind kind : values()) {
                if (kind.name().toLowerCase(Locale.ROOT).equals(name)) {
                    return kind;
                }
            }
            return OTHER;
        }
    }

    /** How far a call is. */
    public enum Status {
        PENDING,
        IN_PROGRESS,
        COMPLETED,
        FAILED
    }

    /** @param path absolute, on the host */
    public record Location(String path) {}

    /** What a call shows. */
    @Tagged("type")
    @CamelCase
    public sealed interface Content {}

    /** What it wrote. */
    @Name("content")
    public record Written(ContentBlock content) implements Content {}

    /** @param oldText null for a new file, or where that is not known */
    public record Diff(String path, @Nullable String oldText, String newText) implements Content {}

    /** A call of which nothing but how far it is is new. */
    public static CallFields status(String toolCallId, Status status) {
        return new CallFields(toolCallId, null, null, status, null, null, null, null);
    }
}
