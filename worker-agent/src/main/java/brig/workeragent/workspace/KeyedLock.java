package brig.workeragent.workspace;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** A lock per key: work on different keys runs concurrently. Thread-safe. */
final class KeyedLock {
    /** Maximum number of waiters per key; further ones are refused. */
    private static final int WAITING_MAX = 3;

    /** Work under the lock. */
    @FunctionalInterface
    interface Work<T> {
        T get() throws IOException;
    }

    /** Keys that are in use or waited for. Guarded by itself. */
    private final Map<String, Queue> turns = new HashMap<>();

    private static final class Queue {
        final ReentrantLock lock = new ReentrantLock(true);
        /** The number of holders and waiters. Guarded by the map. */
        int taken;
    }

    /** @throws BrigException {@code QUEUE_FULL}; {@code INTERNAL} if the disk fails */
    <T> T take(String thing, Work<T> work) {
        try {
            return in(enter(thing, WAITING_MAX), thing, work);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot look at the workspace: " + Reason.withFile(e));
        }
    }

    /** As above, without a limit of waiters. */
    <T> T await(String thing, Work<T> work) throws IOException {
        return in(enter(thing, Integer.MAX_VALUE - 1), thing, work);
    }

    private Queue enter(String thing, int waitingMax) {
        synchronized (turns) {
            Queue turn = turns.computeIfAbsent(thing, unused -> new Queue());
            if (turn.taken > waitingMax) {
                throw new BrigException(ErrorCode.QUEUE_FULL, "too many requests wait for this workspace already");
            }
            turn.taken++;
            return turn;
        }
    }

    private <T> T in(Queue turn, String thing, Work<T> work) throws IOException {
        turn.lock.lock();
        try {
            return work.get();
        } finally {
            turn.lock.unlock();
            synchronized (turns) {
                if (--turn.taken == 0) {
                    turns.remove(thing);
                }
            }
        }
    }
}
