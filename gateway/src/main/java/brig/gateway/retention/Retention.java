package brig.gateway.retention;

import brig.gateway.retention.RetentionPlan.Candidate;
import brig.gateway.retention.RetentionPlan.Doomed;
import brig.gateway.spawn.Spawner;
import brig.gateway.spawn.Spawns;
import brig.gateway.store.SpawnStore;
import brig.gateway.telemetry.LogEvents;
import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.protocol.api.PruneAnswer;
import brig.protocol.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes ended spawns beyond the retention limits: their rows and their streams. It runs after the start, soon after
 * something ended, and once an hour, and deletes in small steps with pauses between them. It never deletes what is
 * alive or being read.
 *
 * <p>A row is deleted before its stream, leaving a note that is deleted last. So every known spawn has its record, and
 * after a crash the notes tell what remains to be deleted. Owned by the event loop.
 *
 * <p>Decision 0108.
 */
public final class Retention {
    private static final Logger log = LoggerFactory.getLogger(Retention.class);
    private static final int STEP_SPAWNS = 20;
    private static final long STEP_PAUSE_MS = 20;
    /** Delay after the start: short, so that a short-lived gateway deletes too. */
    static final long FIRST_LOOK_MS = 1_000;

    static final long LOOK_MS = 60_000;
    static final long SWEEP_MS = 3_600_000;

    /**
     * The retention limits; 0 is unlimited.
     *
     * @param days since a spawn ended
     * @param bytes of all streams
     * @param spawns that have ended
     */
    public record Bounds(int days, long bytes, int spawns) {
        private static final long MS_PER_DAY = 24 * 3_600_000L;

        long oldestMs(long nowMs) {
            return days == 0 ? Long.MIN_VALUE : nowMs - days * MS_PER_DAY;
        }
    }

    private final Bounds bounds;
    private final SpawnStore store;
    private final Spawns spawns;
    private final StreamFolders folders;
    private final Clock clock;
    private final Timers timers;
    /** The current sweep; null for none. */
    private @Nullable CompletableFuture<RetentionPlan> sweeping;

    private long endedAtSweep;
    private long sweptMs;

    public Retention(
            Bounds bounds, SpawnStore store, Spawns spawns, StreamFolders folders, Clock clock, Timers timers) {
        this.bounds = bounds;
        this.store = store;
        this.spawns = spawns;
        this.folders = folders;
        this.clock = clock;
        this.timers = timers;
    }

    /** Completes the deletions of an earlier process, then starts the periodic sweep. */
    public void start() {
        store.pruned().thenCompose(this::deleteStreams).whenComplete((done, failure) -> {
            if (failure != null) {
                log.warn("streams of deleted spawns were not removed: {}", failure.getMessage());
            }
        });
        var _ = timers.after(FIRST_LOOK_MS, this::look);
    }

    private void look() {
        boolean due = spawns.endedCount() != endedAtSweep || clock.nowMs() - sweptMs >= SWEEP_MS;
        if (due && sweeping == null) {
            sweep(Spawner.ITSELF).exceptionally(failure -> {
                log.warn("ended spawns are not deleted as retention requires: {}", failure.getMessage());
                return null;
            });
        }
        var _ = timers.after(LOOK_MS, this::look);
    }

    /**
     * Deletes now what exceeds the limits.
     *
     * @param dryRun only reports what would be deleted
     * @param by who asked for it
     * @return completes when it is done; a running sweep is joined
     */
    public CompletionStage<PruneAnswer> prune(boolean dryRun, String by) {
        return (dryRun ? plan() : sweep(by)).thenApply(plan -> view(plan, dryRun));
    }

    private CompletionStage<RetentionPlan> plan() {
        return store.ended().thenCombine(folders.sizes(), (ended, sizes) -> {
            List<Candidate> candidates = ended.stream()
                    .map(spawn -> new Candidate(
                            spawn.spawnId(),
                            spawn.endedMs(),
                            sizes.getOrDefault(spawn.spawnId(), 0L),
                            !spawns.isForgettable(spawn.spawnId())))
                    .toList();
            Set<String> over = ended.stream().map(SpawnStore.Ended::spawnId).collect(Collectors.toSet());
            long liveBytes = spawns.live().stream()
                    .filter(spawn -> !over.contains(spawn.spawnId()))
                    .mapToLong(spawn -> sizes.getOrDefault(spawn.spawnId(), 0L))
                    .sum();
            return RetentionPlan.of(bounds, clock.nowMs(), liveBytes, candidates);
        });
    }

    private CompletionStage<RetentionPlan> sweep(String by) {
        if (sweeping != null) {
            return sweeping.copy();
        }
        CompletableFuture<RetentionPlan> mine = new CompletableFuture<>();
        sweeping = mine;
        endedAtSweep = spawns.endedCount();
        sweptMs = clock.nowMs();
        plan().thenCompose(plan -> step(plan, 0, by)).whenComplete((plan, failure) -> {
            sweeping = null;
            if (failure == null) {
                tell(plan);
                mine.complete(plan);
            } else {
                mine.completeExceptionally(failure);
            }
        });
        return mine.copy();
    }

    private void tell(RetentionPlan plan) {
        if (!plan.doomed().isEmpty()) {
            log.info(
                    "deleted {} ended spawns with {} bytes of streams",
                    plan.doomed().size(),
                    plan.doomedBytes());
        }
        if (bounds.bytes() > 0 && plan.keptBytes() > bounds.bytes()) {
            log.warn(
                    "streams have {} bytes, more than retention.bytes ({}): what lives or is read is not deleted",
                    plan.keptBytes(),
                    bounds.bytes());
        }
    }

    /** Deletes the next batch from there on and, after a pause, the rest. */
    private CompletionStage<RetentionPlan> step(RetentionPlan plan, int from, String by) {
        if (from >= plan.doomed().size()) {
            return CompletableFuture.completedFuture(plan);
        }
        int to = Math.min(from + STEP_SPAWNS, plan.doomed().size());
        // A subscriber may have appeared since.
        List<Doomed> now = plan.doomed().subList(from, to).stream()
                .filter(one -> spawns.isForgettable(one.spawn().spawnId()))
                .toList();
        List<String> ids = now.stream().map(one -> one.spawn().spawnId()).toList();
        ids.forEach(spawns::forget);
        return store.prune(ids)
                .thenCompose(gone -> {
                    audit(now, gone, by);
                    return deleteStreams(gone);
                })
                .thenCompose(deleted -> paused())
                .thenCompose(rested -> step(plan, to, by));
    }

    private CompletionStage<Void> deleteStreams(List<String> spawnIds) {
        return spawnIds.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : folders.delete(spawnIds).thenCompose(store::swept);
    }

    private CompletionStage<Void> paused() {
        CompletableFuture<Void> rested = new CompletableFuture<>();
        var _ = timers.after(STEP_PAUSE_MS, () -> rested.complete(null));
        return rested;
    }

    private static void audit(List<Doomed> doomed, List<String> gone, String by) {
        for (Doomed one : doomed) {
            if (gone.contains(one.spawn().spawnId())) {
                LogEvents.audit(
                        "prune",
                        JsonObject.builder()
                                .put("spawn_id", one.spawn().spawnId())
                                .put("captain", by)
                                .put("reason", one.reason().wireName())
                                .put("bytes", one.spawn().bytes())
                                .build());
            }
        }
    }

    private static PruneAnswer view(RetentionPlan plan, boolean dryRun) {
        Map<String, Integer> reasons = new LinkedHashMap<>();
        plan.reasons().forEach((reason, spawns) -> reasons.put(reason.wireName(), spawns));
        return new PruneAnswer(
                dryRun,
                plan.doomed().size(),
                plan.doomedBytes(),
                reasons,
                new PruneAnswer.Kept(plan.keptSpawns(), plan.keptBytes()));
    }
}
