package brig.formats.acp;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an ACP agent tells or asks, by its method. */
@Tagged(value = "method", content = "params")
@Foreign
@CamelCase
sealed interface AcpCall {
    /**
     * A call as it is written.
     *
     * @param id what its answer repeats; null where none is waited for
     * @param call null where the method is not served
     */
    @Foreign
    record Line(@Nullable Object id, @Flat @Nullable AcpCall call) {}

    /** @param update null where it is of no kind that is known */
    @Name("session/update")
    record SessionUpdate(@Nullable AcpUpdate update) implements AcpCall {}

    /** What OpenCode's plugin tells. */
    @Name("opencode/event")
    record BusEvent(@Flat @Nullable OpenCodeEvent event) implements AcpCall {}

    /** The agent waits for the choice of an option. */
    @Name("session/request_permission")
    record RequestPermission(AcpUpdate.CallFields toolCall, List<Option> options) implements AcpCall {
        /** The option that binds least, of those that the agent offers; null where none will do. */
        @Nullable
        String option(boolean allow) {
            for (Kind kind : allow
                    ? List.of(Kind.ALLOW_ONCE, Kind.ALLOW_ALWAYS)
                    : List.of(Kind.REJECT_ONCE, Kind.REJECT_ALWAYS)) {
                for (Option option : options) {
                    if (option.kind() == kind) {
                        return option.optionId();
                    }
                }
            }
            return null;
        }
    }

    enum Kind {
        ALLOW_ONCE,
        ALLOW_ALWAYS,
        REJECT_ONCE,
        REJECT_ALWAYS
    }

    @Foreign
    @CamelCase
    record Option(@Nullable Kind kind, @Nullable String optionId) {}
}
