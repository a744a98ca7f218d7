package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Flat;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** An update of a session for the editor. */
@Tagged("sessionUpdate")
@CamelCase
public sealed interface SessionUpdate {
    /** A user's message. */
    record UserMessageChunk(ContentBlock content, @Nullable String messageId) implements SessionUpdate {}

    /** The agent's answer. */
    record AgentMessageChunk(ContentBlock content) implements SessionUpdate {}

    /** The agent's reasoning, or a notice of Brig. */
    record AgentThoughtChunk(ContentBlock content) implements SessionUpdate {}

    /** A new tool call. */
    record ToolCall(@Flat CallFields call) implements SessionUpdate {}

    /** A change of a tool call. */
    record ToolCallUpdate(@Flat CallFields call) implements SessionUpdate {}

    /** The agent's plan, which replaces the previous one. */
    record Plan(List<PlanEntry> entries) implements SessionUpdate {}

    /** A step of a plan. */
    @CamelCase
    record PlanEntry(String content, Priority priority, PlanStatus status) {}

    /** The priority of a step; agents do not report it. */
    enum Priority {
        MEDIUM
    }

    /** The progress of a step. */
    enum PlanStatus {
        PENDING,
        IN_PROGRESS,
        COMPLETED;

        /** The status of that name; pending for any other. */
        public static PlanStatus of(@Nullable String name) {
            for (PlanStatus status : values()) {
                if (status.name().toLowerCase(Locale.ROOT).equals(name)) {
                    return status;
                }
            }
            return PENDING;
        }
    }
}
