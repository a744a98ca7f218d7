package brig.protocol.api;

import brig.protocol.record.Extensible;
import java.util.Map;

/**
 * What was deleted of ended spawns, or would be.
 *
 * @param spawns how many
 * @param bytes of their streams
 * @param reasons how many for each bound that any is deleted for: {@code days}, {@code spawns}, {@code bytes}
 */
@Extensible
public record PruneAnswer(boolean dryRun, int spawns, long bytes, Map<String, Integer> reasons, Kept kept) {
    /** What stays. */
    @Extensible
    public record Kept(long spawns, long bytes) {}
}
