package brig.gateway.limits;

import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * All connections, of every way in, from their first moment to their last.
 *
 * <p>Who has not said who it is is an unauthenticated connection. It has a deadline for what it is expected to do next and takes no place of
 * {@code limits.connectionsMax}. Where there are too many unauthenticated of one peer, or in all, the one that came first gives
 * way to the one that comes: a flood of silent connections pushes out itself, and who speaks at once is heard. Who is
 * known holds a place until the connection is closed. The last places are kept for the host's own users and for admins.
 *
 * <p>A user of this host whom the kernel names is known from the beginning. Until it has spoken it counts among the
 * unauthenticated of its uid, but makes room for those alone. One sweep looks at all deadlines, so that setting one is a write
 * to a field. State owned by the event loop.
 *
 * <p>Decision 0113.
 */
public final class ConnectionGuard {
    /**
     * How many there may be.
     *
     * @param placesMax connections that are known
     * @param reserved of these, for users of this host and admins; at most half of them
     * @param unauthenticatedMax connections that are not known, and whom the kernel does not vouch for
     * @param unauthenticatedPerPeerMax connections of one peer that have not said anything that counts
     */
    public record Bounds(int placesMax, int reserved, int unauthenticatedMax, int unauthenticatedPerPeerMax) {
        public Bounds {
            reserved = Math.min(reserved, placesMax / 2);
        }
    }

    private static final long SWEEP_MS_MIN = 10;
    private static final long SWEEP_MS_MAX = 1_000;
    /** A connection is ended later than its deadline by two sweeps at most. */
    private static final int SWEEPS_PER_DEADLINE = 8;

    private final Bounds bounds;
    private final Deadlines deadlines;
    private final Timers timers;
    private final long sweepMs;
    /** Those that nobody vouches for, in the order in which they came. */
    private final LinkedHashSet<GuardedConnection> unauthenticated = new LinkedHashSet<>();

    private final Map<String, LinkedHashSet<GuardedConnection>> silentByPeer = new HashMap<>();
    /** Those that may have a deadline. */
    private final LinkedHashSet<GuardedConnection> awaited = new LinkedHashSet<>();

    private int places;
    /** Counts sweeps: the time by which deadlines are reckoned. */
    private long sweeps;

    private boolean sweeping;

    public ConnectionGuard(Bounds bounds, Deadlines deadlines, Timers timers) {
        this.bounds = bounds;
        this.deadlines = deadlines;
        this.timers = timers;
        this.sweepMs = Math.clamp(deadlines.shortestMs() / SWEEPS_PER_DEADLINE, SWEEP_MS_MIN, SWEEP_MS_MAX);
    }

    /**
     * A connection was opened, by somebody who may be anybody.
     *
     * @param peer what is known of it: an address, a uid
     */
    public GuardedConnection unauthenticated(String peer, GuardedConnection.Ending ending) {
        return arrive(new GuardedConnection(this, peer, false, ending));
    }

    /**
     * A connection of a user of this host that the kernel names, and that may come in.
     *
     * @throws BrigException {@code MAX_CONNECTIONS}; then there is no visitor
     */
    public GuardedConnection neighbour(String peer, GuardedConnection.Ending ending) {
        takePlace(true);
        return arrive(new GuardedConnection(this, peer, true, ending));
    }

    private GuardedConnection arrive(GuardedConnection guarded) {
        LinkedHashSet<GuardedConnection> silent =
                silentByPeer.computeIfAbsent(guarded.peer(), peer -> new LinkedHashSet<>());
        if (silent.size() >= bounds.unauthenticatedPerPeerMax()) {
            giveWay(
                    silent.getFirst(),
                    "connections.unauthenticatedPerPeerMax (" + bounds.unauthenticatedPerPeerMax() + ")");
        } else if (!guarded.isVouched() && unauthenticated.size() >= bounds.unauthenticatedMax()) {
            giveWay(unauthenticated.getFirst(), "connections.unauthenticatedMax (" + bounds.unauthenticatedMax() + ")");
        }
        // Again: the last of a peer takes the set with it.
        silentByPeer
                .computeIfAbsent(guarded.peer(), peer -> new LinkedHashSet<>())
                .add(guarded);
        if (!guarded.isVouched()) {
            unauthenticated.add(guarded);
        }
        return guarded;
    }

    private static void giveWay(GuardedConnection guarded, String limit) {
        guarded.end(new BrigException(
                ErrorCode.MAX_CONNECTIONS,
                limit + " is reached, and of the connections that have not authenticated this is the oldest",
                1));
    }

    /** @throws BrigException {@code MAX_CONNECTIONS} */
    void takePlace(boolean privileged) {
        int most = privileged ? bounds.placesMax() : bounds.placesMax() - bounds.reserved();
        if (places >= most) {
            throw new BrigException(
                    ErrorCode.MAX_CONNECTIONS,
                    "limits.connectionsMax (" + bounds.placesMax() + ") is reached"
                            + (places < bounds.placesMax() ? "; the rest is for Unix sockets and admins" : ""),
                    1);
        }
        places++;
    }

    void givePlaceBack() {
        places--;
    }

    /** The connection is authenticated now, or gone. */
    void forgetUnauthenticated(GuardedConnection guarded) {
        unauthenticated.remove(guarded);
        silentByPeer.computeIfPresent(guarded.peer(), (peer, silent) -> {
            silent.remove(guarded);
            return silent.isEmpty() ? null : silent;
        });
    }

    void forget(GuardedConnection guarded) {
        forgetUnauthenticated(guarded);
        awaited.remove(guarded);
    }

    /** @return the sweep at which that wait is over for the visitor */
    long expect(GuardedConnection guarded, GuardedConnection.Wait wait) {
        awaited.add(guarded);
        if (!sweeping) {
            sweeping = true;
            timers.after(sweepMs, this::sweep);
        }
        // One more: the next sweep may be due at once.
        return sweeps + 1 + Math.ceilDiv(deadlines.ms(wait), sweepMs);
    }

    private void sweep() {
        sweeps++;
        awaited.removeIf(guarded -> !guarded.isAwaited());
        awaited.stream().filter(guarded -> guarded.isLate(sweeps)).toList().forEach(GuardedConnection::endLate);
        sweeping = !awaited.isEmpty();
        if (sweeping) {
            timers.after(sweepMs, this::sweep);
        }
    }

    /** Connections that are known. */
    public int places() {
        return places;
    }

    /** Connections that are not. */
    public int unauthenticated() {
        return unauthenticated.size();
    }

    public Bounds bounds() {
        return bounds;
    }
}
