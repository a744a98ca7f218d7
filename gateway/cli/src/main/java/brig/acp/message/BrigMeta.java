package brig.acp.message;

import brig.protocol.frame.TokenUsage;
import brig.protocol.record.CamelCase;
import org.jspecify.annotations.Nullable;

/** Brig's extensions of the protocol. */
public sealed interface BrigMeta {
    /** Of the agent's capabilities: complete frames, and {@code takeControl} of a prompt. */
    @CamelCase
    record Features(boolean frames, boolean takeControl) implements BrigMeta {}

    /** Of a new session: the captain's name for it, and its folder on the host. */
    @CamelCase
    record NewSession(String taskId, String workspace) implements BrigMeta {}

    /** Of a session in a list. */
    record Listed(String state) implements BrigMeta {}

    /**
     * Of a turn, from its {@code done} frame; null for absent values.
     *
     * @param usage tokens and cost
     */
    record Turn(
            int exitCode,
            @Nullable String signal,
            @Nullable String reason,
            @Nullable TokenUsage usage) implements BrigMeta {}

    /**
     * Of a tool call: the sub-agent that it is, or belongs to.
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
