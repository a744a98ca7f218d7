package brig.formats.adapter;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The session of a dialogue, which the agent opens some time after the request. Messages that arrive earlier wait.
 * Thread-safe.
 */
public final class SessionHandshake {
    /** Sends a message in an open session; false if it could not be written. */
    @FunctionalInterface
    public interface Handover {
        boolean send(String session, String content);
    }

    private final AgentFrames frames;
    private final AgentTurn turn;
    private final Handover handover;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable String session;
    private @Nullable String waiting;
    private boolean broken;

    public SessionHandshake(AgentFrames frames, AgentTurn turn, Handover handover) {
        this.frames = frames;
        this.turn = turn;
        this.handover = handover;
    }

    /** The agent's own id of the session; null before it exists. */
    public @Nullable String session() {
        lock.lock();
        try {
            return session;
        } finally {
            lock.unlock();
        }
    }

    /** The session exists: sends the waiting message, unless it was cancelled meanwhile. */
    public void complete(String id) throws InterruptedException {
        String first;
        lock.lock();
        try {
            session = id;
            first = waiting;
            waiting = null;
        } finally {
            lock.unlock();
        }
        if (first != null && turn.isCancelled()) {
            turn.end(false, null);
        } else if (first != null) {
            hand(id, first);
        }
    }

    /** The session failed; null if the agent gives no reason. */
    public void fail(@Nullable String why) throws InterruptedException {
        lock.lock();
        try {
            broken = true;
        } finally {
            lock.unlock();
        }
        frames.error("AGENT_ERROR", why == null ? "the agent refused to begin" : why);
        turn.end(true, null);
    }

    /** Begins a turn with that message, now or when the session exists; false if the agent accepts none. */
    public boolean send(String content) {
        String id;
        lock.lock();
        try {
            if (broken) {
                return false;
            }
            turn.begin();
            id = session;
            waiting = id == null ? content : null;
        } finally {
            lock.unlock();
        }
        return id == null || hand(id, content);
    }

    private boolean hand(String id, String content) {
        boolean written = handover.send(id, content);
        if (!written) {
            turn.retract();
        }
        return written;
    }
}
