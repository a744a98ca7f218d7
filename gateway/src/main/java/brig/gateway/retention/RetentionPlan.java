package brig.gateway.retention;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Selects the ended spawns to delete: those too old, then the oldest until count and bytes are within the limits.
 *
 * <p>Decision 0108.
 *
 * @param doomed oldest first
 * @param keptSpawns number of ended spawns that stay
 * @param keptBytes of all streams that stay, including those of living spawns
 */
record RetentionPlan(List<Doomed> doomed, long keptSpawns, long keptBytes) {
    /**
     * A spawn that has ended.
     *
     * @param bytes of its stream on disk
     * @param needed whether it is being read, or its worker may be alive: it stays, however old
     */
    record Candidate(String spawnId, long endedMs, long bytes, boolean needed) {}

    /** The limit that a spawn exceeds. */
    enum Reason {
        DAYS,
        SPAWNS,
        BYTES;

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    record Doomed(Candidate spawn, Reason reason) {}

    /**
     * @param liveBytes of the streams of living spawns, which count but are never deleted
     * @param ended oldest first
     */
    static RetentionPlan of(Retention.Bounds bounds, long nowMs, long liveBytes, List<Candidate> ended) {
        long spawns = ended.size();
        long bytes = liveBytes + ended.stream().mapToLong(Candidate::bytes).sum();
        long oldestMs = bounds.oldestMs(nowMs);
        List<Doomed> doomed = new ArrayList<>();
        for (Candidate spawn : ended) {
            boolean tooMany = bounds.spawns() > 0 && spawns > bounds.spawns();
            boolean tooLarge = bounds.bytes() > 0 && bytes > bounds.bytes() && spawn.bytes() > 0;
            boolean tooOld = spawn.endedMs() < oldestMs;
            if (!spawn.needed() && (tooOld || tooMany || tooLarge)) {
                doomed.add(new Doomed(spawn, tooOld ? Reason.DAYS : tooMany ? Reason.SPAWNS : Reason.BYTES));
                spawns--;
                bytes -= spawn.bytes();
            }
        }
        return new RetentionPlan(doomed, spawns, bytes);
    }

    long doomedBytes() {
        return doomed.stream().mapToLong(one -> one.spawn().bytes()).sum();
    }

    /** The number of deletions by limit. */
    Map<Reason, Integer> reasons() {
        Map<Reason, Integer> reasons = new EnumMap<>(Reason.class);
        doomed.forEach(one -> reasons.merge(one.reason(), 1, Integer::sum));
        return reasons;
    }
}
