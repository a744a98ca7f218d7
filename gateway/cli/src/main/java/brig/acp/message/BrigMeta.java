package brig.acp.message;

import brig.protocol.frame.TokenUsage;
import brig.protocol.record.CamelCase;
import org.jspecify.annotations.Nullable;

/** What Brig says that the protocol has no field for. */
public sealed interface BrigMeta {
    /** Beside what the agent can: frames as they are, and {@code takeControl} of a prompt. */
    @CamelCase
    record Features(boolean frames, boolean takeControl) implements BrigMeta {}

    /** Of a session that was begun: the captain's name for it, and where it works on the host. */
    @CamelCase
    record NewSession(String taskId, String workspace) implements BrigMeta {}

    /** Of a session in a list. */
    record Listed(String state) implements BrigMeta {}

    /**
     * Of a turn, as its frame {@code done} told it. What that did not say is null.
     *
     * @param usage tokens and cost
     */
    record Turn(
            int exitCode,
            @Nullable String signal,
            @Nullable String reason,
            @Nullable TokenUsage usage) implements BrigMeta {}

    /**
     * Of a tool call: which sub-agent it is, or is of.
     *
     * @param parentId the sub-agent above
     * @param parentToolId the call that started it
     * @param sessionId the agent's own id of the sub-agent's session
     */
    record Call(
            String agent,
            @Nullable String parentId,
            @Nullable String parentToolId,
            @Nullable String sessionId) implements BrigMeta {}
}
