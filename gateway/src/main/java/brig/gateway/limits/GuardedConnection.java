package brig.gateway.limits;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;

/**
 * One connection under the {@link ConnectionGuard}. Owned by the event loop.
 *
 * <p>Decision 0113.
 */
public final class GuardedConnection {
    /** How a connection is ended: with its protocol's refusal, if that can be sent. */
    @FunctionalInterface
    public interface Ending {
        void end(BrigException why);
    }

    /** The step that the guard waits for. */
    public enum Wait {
        /** The connection was opened; no bytes yet. */
        OPENED,
        /** A request's head has begun. */
        HEAD,
        /** The request's body is incomplete. */
        BODY,
        /** The request is being answered; no deadline for authenticated clients. */
        ANSWER,
        /** Between two requests. */
        IDLE,
        /** The first line on a Unix socket. */
        FIRST_LINE,
        /** A valid token. */
        AUTH,
        /** No deadline. */
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

    /** Replaces the way of ending it. */
    public void endsWith(Ending other) {
        ending = other;
    }

    /** Starts the deadline of its next step. */
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
     * It authenticated, perhaps again. A request's body remains awaited.
     *
     * @param privileged whether it is an admin, to whom the reserved places are open
     * @throws BrigException {@code MAX_CONNECTIONS}; its state is unchanged then
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

    /** Ends it and unregisters it at once, since closing may take a while. */
    void end(BrigException why) {
        if (!gone) {
            leave();
            ending.end(why);
        }
    }
}
