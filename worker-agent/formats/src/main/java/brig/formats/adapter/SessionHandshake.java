package brig.formats.adapter;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The session of a dialogue, which is there only some time after the agent was asked for it: a message that comes before
 * waits for it. Any thread may call.
 */
public final class SessionHandshake {
    /** Hands a message over in an open session; false where it could not be written. */
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

    /** The agent's own id of the session; null while there is none. */
    public @Nullable String session() {
        lock.lock();
        try {
            return session;
        } finally {
            lock.unlock();
        }
    }

    /** The session is there: what waited is handed over, unless it was cancelled meanwhile. */
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

    /** There is no session, and there will be none; null where the agent does not say why. */
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

    /** Begins a turn with that message, now or when there is a session; false where the agent takes none. */
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
