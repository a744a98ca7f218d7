package brig.mcp.message;

import brig.protocol.json.JsonObject;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.Range;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a tool. {@code session} is any name of a session; {@code cursor} is one that an earlier result has.
 * {@code tools.json} describes them to models.
 */
public sealed interface ToolCall {
    /** The longest wait: below the least time limit of a known client, which is 60 s. */
    int WAIT_SECONDS_MAX = 45;

    /**
     * Starts a session.
     *
     * @param prompt the first message; null for none
     * @param repository a git repository to work in a worktree of; null for that of the server's own folder, if any;
     *     empty for none
     * @param workspace a folder to work in as it is; null for none
     * @param budget as {@link brig.protocol.spawn.Budget#parse} reads it; null for that of the profile
     * @param once whether the session ends after its first turn
     */
    record Spawn(
            @NotEmpty String agent,
            @NotEmpty @Nullable String prompt,
            @Nullable String taskId,
            @Nullable String repository,
            @NotEmpty @Nullable String workspace,
            @NotEmpty @Nullable String model,
            @NotEmpty @Nullable String policy,
            @NotEmpty @Nullable String permissions,
            @NotEmpty @Nullable String systemPrompt,
            @NotEmpty @Nullable String budget,
            @NotEmpty @Nullable String host,
            @Nullable String requestId,
            boolean once)
            implements ToolCall {}

    /**
     * Sends a message.
     *
     * @param messageId makes it repeatable; null for one that is made for it
     */
    record Send(
            @NotEmpty String session,
            @NotEmpty String message,
            @NotEmpty @Nullable String messageId) implements ToolCall {}

    /** @param seconds how long to wait at most; null for the maximum */
    record Wait(
            @NotEmpty String session,
            @NotEmpty @Nullable String cursor,

            @Range(min = 1, max = WAIT_SECONDS_MAX) @Nullable
            Integer seconds)
            implements ToolCall {}

    /** Returns the state of a session. */
    record Status(@NotEmpty String session) implements ToolCall {}

    /** Returns the changes of a session. */
    record Diff(@NotEmpty String session) implements ToolCall {}

    /** @param check only reports whether the changes fit */
    record Apply(@NotEmpty String session, boolean check) implements ToolCall {}

    /** @param all also sessions that have ended */
    record ListAll(boolean all) implements ToolCall {}

    /** Answers an ask: exactly one of option and text. */
    record Answer(
            @NotEmpty String askId,
            @NotEmpty @Nullable String option,
            @NotEmpty @Nullable String text) implements ToolCall {}

    /** Returns everything that a session wrote, from the cursor on; null for the beginning. */
    record Logs(
            @NotEmpty String session, @NotEmpty @Nullable String cursor) implements ToolCall {}

    /** Ends a session. */
    record Terminate(@NotEmpty String session) implements ToolCall {}

    /**
     * The call of that tool; null for an unknown one.
     *
     * @throws brig.protocol.BrigException {@code INVALID_FIELD} naming the argument
     */
    static @Nullable ToolCall read(String tool, JsonObject arguments) {
        return switch (tool) {
            case "spawn" -> arguments.as(Spawn.class);
            case "send" -> arguments.as(Send.class);
            case "wait" -> arguments.as(Wait.class);
            case "status" -> arguments.as(Status.class);
            case "diff" -> arguments.as(Diff.class);
            case "apply" -> arguments.as(Apply.class);
            case "list" -> arguments.as(ListAll.class);
            case "answer" -> arguments.as(Answer.class);
            case "logs" -> arguments.as(Logs.class);
            case "terminate" -> arguments.as(Terminate.class);
            default -> null;
        };
    }
}
