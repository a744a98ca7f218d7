package brig.formats.adapter;

import brig.protocol.frame.Frame.Tool.Progress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A tool call as a frame tells it; of a call that was told before, only what is new.
 *
 * <p>Decision 0061.
 *
 * @param id the agent's own
 * @param agent the sub-agent that called it, null for the agent itself
 * @param name the tool's, in the agent's words
 * @param sort what sort of thing it does, in the words of the Agent Client Protocol; null leaves it to the name
 * @param title what it does in this call, a line
 * @param input the arguments: an object, or null
 * @param output all of it, once it is known
 */
public record ToolCall(
        String id,
        @Nullable String agent,
        @Nullable String name,
        @Nullable String sort,
        @Nullable String title,
        Progress status,
        @Nullable Object input,
        @Nullable String output) {

    /** A call whose tool has a name that says what sort of thing it does. */
    public ToolCall(
            String id,
            @Nullable String agent,
            @Nullable String name,
            @Nullable String title,
            Progress status,
            @Nullable Object input,
            @Nullable String output) {
        this(id, agent, name, null, title, status, input, output);
    }

    /** The same, of a call whose arguments were told. */
    ToolCall withoutInput() {
        return new ToolCall(id, agent, name, sort, title, status, null, output);
    }

    /** The sort, and {@code agent} for a sub-agent. */
    @Nullable
    String kind() {
        return sort != null
                ? sort
                : name == null
                        ? null
                        : switch (name.toLowerCase(Locale.ROOT)) {
                            case "bash", "shell", "exec_command", "execute", "commandexecution" -> "execute";
                            case "read", "view", "imageview" -> "read";
                            case "write", "edit", "multiedit", "notebookedit", "patch", "apply_patch", "filechange" ->
                                "edit";
                            case "delete" -> "delete";
                            case "move" -> "move";
                            case "glob", "grep", "list", "ls", "search", "websearch", "codesearch" -> "search";
                            case "webfetch", "fetch" -> "fetch";
                            case "agent", "task", "spawn_agent" -> "agent";
                            case "think", "todowrite", "todoread" -> "think";
                            default -> "other";
                        };
    }
}
