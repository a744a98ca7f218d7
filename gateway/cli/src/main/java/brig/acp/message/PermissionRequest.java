package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code session/request_permission}: the editor asks its user.
 *
 * @param toolCall the call concerned
 */
@CamelCase
public record PermissionRequest(String sessionId, CallFields toolCall, List<Option> options) {
    public static final String METHOD = "session/request_permission";

    private static final String SELECTED = "selected";

    /** @param name for a person */
    @CamelCase
    public record Option(String optionId, String name, Kind kind) {}

    /** How an editor shows an option. */
    public enum Kind {
        ALLOW_ONCE,
        ALLOW_ALWAYS,
        REJECT_ONCE
    }

    /** @param outcome null if undecided */
    @Extensible
    public record Answer(@Nullable Outcome outcome) {
        /** The chosen option; null for none. */
        public @Nullable String chosen() {
            return outcome == null || !SELECTED.equals(outcome.outcome()) ? null : outcome.optionId();
        }
    }

    /**
     * @param outcome {@code selected} or {@code cancelled}
     * @param optionId null where the user chose nothing
     */
    @CamelCase
    @Extensible
    public record Outcome(
            @Nullable String outcome, @Nullable String optionId) {}
}
