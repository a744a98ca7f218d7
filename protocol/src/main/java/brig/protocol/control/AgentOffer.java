package brig.protocol.control;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import org.jspecify.annotations.Nullable;

/**
 * An agent that captains may request.
 *
 * @param policy its default policy, by name
 * @param asModel whether it is offered as a model
 * @param needsMessage whether a request for it needs a prompt
 * @param tty whether it can be started on a terminal
 * @param problem why it cannot run, in words; null if it can
 */
@Extensible
public record AgentOffer(
        String name,
        String description,
        String policy,
        boolean asModel,
        boolean needsMessage,
        @OmitEmpty boolean tty,
        State state,
        @Nullable String problem) {
    /** Whether it can run here. */
    public enum State {
        READY,
        NOT_INSTALLED,
        /** No model route is configured for it. */
        NO_ROUTE,
        FAULTY
    }
}
