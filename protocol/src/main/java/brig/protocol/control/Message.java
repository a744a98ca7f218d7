package brig.protocol.control;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * A message of a captain, on its way to the agent.
 *
 * <p>Decisions 0042, 0133.
 *
 * @param id the captain's id for it, which makes it idempotent; null for none
 * @param by the sender; null if unknown
 * @param via the interface it came by; null if unknown
 */
@Extensible
public record Message(
        String content,
        @Nullable String id,
        @Nullable String by,
        @Nullable String via) {
    /** A copy that begins with something else to be told; null for nothing. */
    public Message after(@Nullable String told) {
        return told == null ? this : new Message(told + "\n\n" + content, id, by, via);
    }
}
