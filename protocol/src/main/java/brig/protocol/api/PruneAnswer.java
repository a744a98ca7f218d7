package brig.protocol.api;

import brig.protocol.record.Extensible;
import java.util.Map;

/**
 * The ended spawns that were deleted, or would be.
 *
 * @param spawns their number
 * @param bytes the size of their streams
 * @param reasons the number of deletions by limit: {@code days}, {@code spawns}, {@code bytes}; limits without any are
 *     left out
 */
@Extensible
public record PruneAnswer(boolean dryRun, int spawns, long bytes, Map<String, Integer> reasons, Kept kept) {
    /** The remainder. */
    @Extensible
    public record Kept(long spawns, long bytes) {}
}
