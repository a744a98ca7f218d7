package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Name;
import org.jspecify.annotations.Nullable;

/** The answer to {@code session/prompt}. */
@CamelCase
public record PromptEnded(
        StopReason stopReason, @Name("_meta") @Nullable Meta meta) {
    /** Why a turn ended. */
    public enum StopReason {
        END_TURN,
        CANCELLED
    }
}
