package brig.protocol.api;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import org.jspecify.annotations.Nullable;

/**
 * What agents cost.
 *
 * @param cachedInputTokens those of the input tokens that the provider had in its cache
 * @param cost in US dollars; null where nobody says
 */
@Extensible
public record Usage(
        long inputTokens,
        long outputTokens,
        @OmitEmpty long cachedInputTokens,
        @Nullable Double cost) {}
