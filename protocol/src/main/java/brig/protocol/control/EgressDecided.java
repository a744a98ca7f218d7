package brig.protocol.control;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * The effect of a decision.
 *
 * @param host null for a decision about a secret
 * @param policy the name of the changed policy; null if none was changed
 * @param file that policy's file
 * @param secret null for a decision about a host
 */
@Extensible
public record EgressDecided(
        String spawnId,
        EgressDecision decision,
        @Nullable String host,
        @Nullable String policy,
        @Nullable String file,
        @Nullable String secret) {}
