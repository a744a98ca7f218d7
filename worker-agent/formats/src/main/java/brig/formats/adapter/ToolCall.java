package brig.formats.adapter;

import brig.protocol.frame.Frame.Tool.Progress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A tool call for a frame; for a call that was reported before, only the new fields.
 *
 * <p>Decision 0061.
 *
 * @param id the agent's own id of the call
 * @param agent the calling sub-agent; null for the agent itself
 * @param name the agent's name of the tool
 * @param sort the tool's kind in the Agent Client Protocol; null derives it from the name
 * @param title one line that describes the call
 * @param input the arguments: an object, or null
 * @param output the whole output, once it is known
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

    /** A call whose kind follows from the tool's name. */
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

    /** A copy without arguments, which were reported before. */
    ToolCall withoutInput() {
        return new ToolCall(id, agent, name, sort, title, status, null, output);
    }

    /** The kind in the frame; {@code agent} for a sub-agent. */
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
