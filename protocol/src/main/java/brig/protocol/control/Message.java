package brig.protocol.control;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * A message of a captain, on its way to the agent.
 *
 * <p>Decisions 0042, 0133.
 *
 * @param id the captain's name for it, under which it is taken once; null for none
 * @param by who sent it; null where that is not known
 * @param via the way by which it came; null where that is not known
 */
@Extensible
public record Message(
        String content,
        @Nullable String id,
        @Nullable String by,
        @Nullable String via) {}
