package brig.workeragent.handover;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What home handed over for workers of this host, by spawn id. It is in memory alone, and no longer than its worker
 * lives. Thread-safe.
 *
 * <p>Decision 0169.
 */
public final class HandedOver {
    /** Timers, without their cancelling. */
    @FunctionalInterface
    public interface Later {
        void after(long ms, Runnable task);
    }

    /** How long a spawn waits for its handover. */
    static final long WAIT_MS = 10_000;
    /** How long a handover waits for its spawn. */
    static final long UNCLAIMED_MS = 60_000;

    static final int ENTRIES_MAX = 4096;

    private static final class Entry {
        CompletableFuture<Handover> given = new CompletableFuture<>();
        /** Whether a spawn has it, which forgets it. */
        boolean claimed;
    }

    private final Later later;
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final Map<String, Entry> entries = new HashMap<>();

    public HandedOver(Later later) {
        this.later = later;
    }

    /** Takes one, in place of an earlier one. @throws BrigException {@code MAX_WORKERS} */
    public void take(String spawnId, Handover handover) {
        settle(spawnId, CompletableFuture.completedFuture(handover), true);
    }

    /** One came that cannot be used: a spawn that waits for it is refused. An earlier one stays. */
    public void refuse(String spawnId, BrigException why) {
        settle(spawnId, CompletableFuture.failedFuture(why), false);
    }

    /** Home hands over nothing more: the worker's network allows nothing. */
    public void end(String spawnId) {
        settle(
                spawnId,
                CompletableFuture.failedFuture(new BrigException(
                        ErrorCode.INVALID_POLICY, "the gateway's host has no usable policy for this worker any more")),
                true);
    }

    private void settle(String spawnId, CompletableFuture<Handover> result, boolean replaces) {
        CompletableFuture<Handover> before;
        lock.lock();
        try {
            Entry entry = entry(spawnId);
            before = entry.given;
            if (replaces) {
                entry.given = result;
            }
        } finally {
            lock.unlock();
        }
        var _ = result.whenComplete((handover, why) -> {
            if (why == null) {
                before.complete(handover);
            } else {
                before.completeExceptionally(why);
            }
        });
    }

    private Entry entry(String spawnId) {
        Entry known = entries.get(spawnId);
        if (known != null) {
            return known;
        }
        if (entries.size() >= ENTRIES_MAX) {
            throw new BrigException(ErrorCode.MAX_WORKERS, ENTRIES_MAX + " workers are handed over already", 1);
        }
        Entry fresh = new Entry();
        entries.put(spawnId, fresh);
        later.after(UNCLAIMED_MS, () -> dropUnclaimed(spawnId, fresh));
        return fresh;
    }

    private void dropUnclaimed(String spawnId, Entry entry) {
        lock.lock();
        try {
            if (!entry.claimed) {
                entries.remove(spawnId, entry);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * What a spawn runs with; waits for it. The spawn owns it from now on: it ends with {@link #forget}.
     *
     * @throws BrigException the refusal of what came; {@code HOST_UNREACHABLE} if nothing comes
     */
    public Handover await(String spawnId) throws InterruptedException {
        CompletableFuture<Handover> given;
        lock.lock();
        try {
            Entry entry = entry(spawnId);
            entry.claimed = true;
            given = entry.given;
        } finally {
            lock.unlock();
        }
        if (!given.isDone()) {
            later.after(
                    WAIT_MS,
                    () -> given.completeExceptionally(new BrigException(
                            ErrorCode.HOST_UNREACHABLE,
                            "the profile and the policy did not come from the gateway's host in time",
                            1)));
        }
        try {
            return given.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof BrigException refusal ? refusal : new IllegalStateException(e);
        }
    }

    /** What a worker that runs has now. @throws BrigException if home hands over nothing more */
    public Handover now(String spawnId) {
        CompletableFuture<Handover> given;
        lock.lock();
        try {
            @Nullable Entry entry = entries.get(spawnId);
            given = entry == null ? new CompletableFuture<>() : entry.given;
        } finally {
            lock.unlock();
        }
        if (given.state() == CompletableFuture.State.SUCCESS) {
            return given.join();
        }
        throw given.isCompletedExceptionally() && given.exceptionNow() instanceof BrigException refusal
                ? refusal
                : new BrigException(ErrorCode.NOT_FOUND, "nothing is handed over for " + spawnId);
    }

    /** The current values of its secrets; none if home hands over nothing more. */
    public Map<String, String> secretsNow(String spawnId) {
        try {
            return now(spawnId).secrets();
        } catch (BrigException ended) {
            return Map.of();
        }
    }

    /** Whether home hands over for that worker. */
    public boolean has(String spawnId) {
        lock.lock();
        try {
            return entries.containsKey(spawnId);
        } finally {
            lock.unlock();
        }
    }

    /** A worker ended, or was refused. */
    public void forget(String spawnId) {
        lock.lock();
        try {
            entries.remove(spawnId);
        } finally {
            lock.unlock();
        }
    }
}
