package brig.acp.message;

import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A tool call, or an update of one, in which null means unchanged.
 *
 * @param title for a person; never null in the first one
 * @param rawInput the arguments of the tool
 * @param locations the files concerned
 * @param content replaces the content shown before
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
    /** The kind of a tool. */
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

    /** The progress of a call. */
    public enum Status {
        PENDING,
        IN_PROGRESS,
        COMPLETED,
        FAILED
    }

    /** @param path absolute, on the host */
    public record Location(String path) {}

    /** The content of a call. */
    @Tagged("type")
    @CamelCase
    public sealed interface Content {}

    /** The output of a call. */
    @Name("content")
    public record Written(ContentBlock content) implements Content {}

    /** @param oldText null for a new file, or if unknown */
    public record Diff(String path, @Nullable String oldText, String newText) implements Content {}

    /** An update of the status only. */
    public static CallFields status(String toolCallId, Status status) {
        return new CallFields(toolCallId, null, null, status, null, null, null, null);
    }
}
