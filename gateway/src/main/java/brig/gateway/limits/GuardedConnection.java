package brig.gateway.limits;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;

/**
 * One connection, as the {@link ConnectionGuard} knows it. State owned by the event loop.
 *
 * <p>Decision 0113.
 */
public final class GuardedConnection {
    /** How a connection is ended: as its protocol says no, if it can be said. */
    @FunctionalInterface
    public interface Ending {
        void end(BrigException why);
    }

    /** What is waited for. */
    public enum Wait {
        /** Nothing has come yet. */
        OPENED,
        /** A request's head has begun. */
        HEAD,
        /** The request's body has not ended. */
        BODY,
        /** It is being answered; who is known has the time that it needs. */
        ANSWER,
        /** It may ask again. */
        IDLE,
        /** A Unix socket's first line. */
        FIRST_LINE,
        /** A token that is good for something. */
        AUTH,
        /** It may take all the time that it likes. */
        NOTHING;

        private BrigException late() {
            return this == AUTH
                    ? new BrigException(ErrorCode.AUTH_TIMEOUT, "no {\"auth\": token} came in time")
                    : new BrigException(
                            ErrorCode.REQUEST_TIMEOUT,
                            switch (this) {
                                case HEAD -> "the request's headers did not come in time";
                                case BODY -> "the request's body did not come in time";
                                case ANSWER -> "the answer was not taken in time";
                                default -> "no request came in time";
                            });
        }
    }

    private final ConnectionGuard connectionGuard;
    private final String peer;
    private final boolean vouched;
    private Ending ending;
    private Wait wait = Wait.NOTHING;
    private long dueAtSweep;
    private boolean known;
    private boolean hasPlace;
    private boolean gone;

    GuardedConnection(ConnectionGuard connectionGuard, String peer, boolean vouched, Ending ending) {
        this.connectionGuard = connectionGuard;
        this.peer = peer;
        this.vouched = vouched;
        this.hasPlace = vouched;
        this.ending = ending;
    }

    /** From now on it is ended in that way. */
    public void endsWith(Ending other) {
        ending = other;
    }

    /** What it has to do next, in its time, which begins now. */
    public void await(Wait next) {
        if (gone) {
            return;
        }
        wait = known && (next == Wait.ANSWER || next == Wait.AUTH) ? Wait.NOTHING : next;
        if (wait != Wait.NOTHING) {
            dueAtSweep = connectionGuard.expect(this, wait);
        }
    }

    /**
     * It has said who it is, once or again. A request's body is still waited for.
     *
     * @param privileged whether it is an admin, for whom there are places where there are none for others
     * @throws BrigException {@code MAX_CONNECTIONS}; then it is what it was
     */
    public void becomeKnown(boolean privileged) {
        if (gone) {
            return;
        }
        if (!hasPlace) {
            connectionGuard.takePlace(privileged);
            hasPlace = true;
        }
        known = true;
        connectionGuard.forgetUnauthenticated(this);
        if (wait != Wait.BODY) {
            await(Wait.NOTHING);
        }
    }

    /** The connection is closed. */
    public void leave() {
        if (gone) {
            return;
        }
        gone = true;
        wait = Wait.NOTHING;
        connectionGuard.forget(this);
        if (hasPlace) {
            connectionGuard.givePlaceBack();
        }
    }

    String peer() {
        return peer;
    }

    boolean isVouched() {
        return vouched;
    }

    boolean isAwaited() {
        return wait != Wait.NOTHING;
    }

    boolean isLate(long sweep) {
        return isAwaited() && sweep >= dueAtSweep;
    }

    void endLate() {
        end(wait.late());
    }

    /** Ends it, and takes it off the books at once: that its connection is closed may take a while. */
    void end(BrigException why) {
        if (!gone) {
            leave();
            ending.end(why);
        }
    }
}
