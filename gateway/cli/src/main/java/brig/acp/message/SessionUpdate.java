package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Flat;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What an editor shows of a session. */
@Tagged("sessionUpdate")
@CamelCase
public sealed interface SessionUpdate {
    /** What a user said. */
    record UserMessageChunk(ContentBlock content, @Nullable String messageId) implements SessionUpdate {}

    /** What the agent said. */
    record AgentMessageChunk(ContentBlock content) implements SessionUpdate {}

    /** What the agent thinks, and what Brig has to say. */
    record AgentThoughtChunk(ContentBlock content) implements SessionUpdate {}

    /** The first that is told of a tool call. */
    record ToolCall(@Flat CallFields call) implements SessionUpdate {}

    /** What is new about a tool call. */
    record ToolCallUpdate(@Flat CallFields call) implements SessionUpdate {}

    /** What the agent means to do; it replaces the plan before. */
    record Plan(List<PlanEntry> entries) implements SessionUpdate {}

    /** A step of a plan. */
    @CamelCase
    record PlanEntry(String content, Priority priority, PlanStatus status) {}

    /** How much a step matters; agents do not say. */
    enum Priority {
        MEDIUM
    }

    /** How far a step is. */
    enum PlanStatus {
        PENDING,
        IN_PROGRESS,
        COMPLETED;

        /** The status of that name; pending where there is none. */
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
