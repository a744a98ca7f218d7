package brig.gateway.joint;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One connection: what may be sent, what has come, and who is through with it. One thread brings what the far end says
 * and never waits here; one sends, and one delivers. All state is behind the lock.
 */
final class JoinedStream {
    private final Lock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final int number;
    private final Local local;
    private final Growth growth;

    /** What may be sent. */
    private int credit = NearEnd.WINDOW_FIRST;

    private Bytes arrived = new Bytes();
    private int window = NearEnd.WINDOW_FIRST;
    /** What may still come. */
    private int allowed = NearEnd.WINDOW_FIRST;
    /** What was delivered, and may come again. */
    private int delivered;

    private boolean farEnded;
    private boolean farClosed;
    private boolean localEnded;
    /** Nothing is delivered or sent any more. */
    private boolean finished;

    private boolean closeSent;

    JoinedStream(int number, Local local, Growth growth) {
        this.number = number;
        this.local = local;
        this.growth = growth;
    }

    int number() {
        return number;
    }

    Local local() {
        return local;
    }

    /** Waits until something may be sent. @return how much, at most {@code most}; 0 if the connection is over */
    int awaitCredit(int most) {
        lock.lock();
        try {
            while (credit == 0 && !farClosed && !finished) {
                changed.awaitUninterruptibly();
            }
            return farClosed || finished ? 0 : Math.min(most, credit);
        } finally {
            lock.unlock();
        }
    }

    void handleSent(int bytes) {
        lock.lock();
        try {
            credit -= bytes;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing more will be sent. */
    void handleLocalEnd() {
        lock.lock();
        try {
            localEnded = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for bytes.
     *
     * @param spent what was taken before
     * @return empty bytes if no more come
     */
    Bytes take(Bytes spent) {
        lock.lock();
        try {
            spent.clear();
            while (arrived.length() == 0 && !farEnded && !farClosed && !finished) {
                spent.free();
                arrived.free();
                changed.awaitUninterruptibly();
            }
            Bytes taken = arrived;
            arrived = spent;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Bytes were delivered. @return how many more the far end may be told to send; 0 for none yet */
    int handleDelivered(int bytes) {
        lock.lock();
        try {
            delivered += bytes;
            if (delivered < window / 2 || farEnded || farClosed || finished) {
                return 0;
            }
            int more = delivered;
            if (window < NearEnd.WINDOW_MAX && growth.take(window)) {
                more += window;
                window *= 2;
            }
            delivered = 0;
            allowed += more;
            return more;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until both directions have ended, or one of the two ends is gone. */
    void awaitEnd() {
        lock.lock();
        try {
            while (!farClosed && !finished && !localEnded) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends both directions, whatever is under way. */
    void finish() {
        lock.lock();
        try {
            if (!finished) {
                finished = true;
                arrived.free();
                growth.give(window - NearEnd.WINDOW_FIRST);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** @return whether the number is free */
    boolean handleCloseSent() {
        lock.lock();
        try {
            closeSent = true;
            return farClosed;
        } finally {
            lock.unlock();
        }
    }

    /** The far end says something. @return whether the number is free */
    boolean handle(Kind kind, int value, byte[] bytes) throws BrokenRule {
        lock.lock();
        try {
            if (farClosed) {
                throw new BrokenRule("frames for a connection that it has closed");
            }
            switch (kind) {
                case DATA -> handleData(bytes, value);
                case WINDOW -> handleWindow(value);
                case END -> handleEnd();
                case CLOSE -> farClosed = true;
                case OPEN -> throw new BrokenRule("connections of its own");
            }
            changed.signalAll();
            return farClosed && closeSent;
        } finally {
            lock.unlock();
        }
    }

    private void handleData(byte[] bytes, int length) throws BrokenRule {
        if (farEnded) {
            throw new BrokenRule("data after the end of a connection");
        }
        if (length > allowed) {
            throw new BrokenRule("more data than it may");
        }
        allowed -= length;
        if (!finished) {
            arrived.add(bytes, length);
        }
    }

    private void handleWindow(int more) throws BrokenRule {
        if (more > NearEnd.WINDOW_MAX - credit) {
            throw new BrokenRule("a window that is too large");
        }
        credit += more;
    }

    private void handleEnd() throws BrokenRule {
        if (farEnded) {
            throw new BrokenRule("a second end of a connection");
        }
        farEnded = true;
    }
}
