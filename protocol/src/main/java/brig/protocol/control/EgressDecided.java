package brig.protocol.control;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * What became of a decision.
 *
 * @param host null where it is about a secret
 * @param policy the name of the policy that was changed; null where none was
 * @param file that policy's file
 * @param secret null where it is about a host
 */
@Extensible
public record EgressDecided(
        String spawnId,
        EgressDecision decision,
        @Nullable String host,
        @Nullable String policy,
        @Nullable String file,
        @Nullable String secret) {}
