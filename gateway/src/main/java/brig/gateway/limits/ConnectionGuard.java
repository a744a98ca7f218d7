package brig.gateway.limits;

import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * Limits for all connections, on every interface, from open to close.
 *
 * <p>An unauthenticated connection has a deadline for its next step and takes no place of {@code
 * limits.connectionsMax}. When there are too many of one peer, or in total, the oldest is closed in favour of the new
 * one: a flood of silent connections displaces itself, while a client that speaks at once is served. An authenticated
 * connection holds a place until it is closed. The last places are reserved for the host's own users and for admins.
 *
 * <p>A local user whom the kernel names is authenticated from the beginning. Until it has spoken it counts among the
 * unauthenticated of its uid, and only displaces those. One periodic sweep checks all deadlines, so that setting one is
 * a write to a field. Owned by the event loop.
 *
 * <p>Decision 0113.
 */
public final class ConnectionGuard {
    /**
     * The limits.
     *
     * @param placesMax authenticated connections
     * @param reserved the part of these for users of this host and admins; at most half
     * @param unauthenticatedMax unauthenticated connections that the kernel does not vouch for
     * @param unauthenticatedPerPeerMax connections of one peer that have not authenticated or spoken
     */
    public record Bounds(int placesMax, int reserved, int unauthenticatedMax, int unauthenticatedPerPeerMax) {
        public Bounds {
            reserved = Math.min(reserved, placesMax / 2);
        }
    }

    private static final long SWEEP_MS_MIN = 10;
    private static final long SWEEP_MS_MAX = 1_000;
    /** A connection is ended at most two sweeps after its deadline. */
    private static final int SWEEPS_PER_DEADLINE = 8;

    private final Bounds bounds;
    private final Deadlines deadlines;
    private final Timers timers;
    private final long sweepMs;
    /** Connections that the kernel does not vouch for, oldest first. */
    private final LinkedHashSet<GuardedConnection> unauthenticated = new LinkedHashSet<>();

    private final Map<String, LinkedHashSet<GuardedConnection>> silentByPeer = new HashMap<>();
    /** Connections that may have a deadline. */
    private final LinkedHashSet<GuardedConnection> awaited = new LinkedHashSet<>();

    private int places;
    /** Counts sweeps: the clock of the deadlines. */
    private long sweeps;

    private boolean sweeping;

    public ConnectionGuard(Bounds bounds, Deadlines deadlines, Timers timers) {
        this.bounds = bounds;
        this.deadlines = deadlines;
        this.timers = timers;
        this.sweepMs = Math.clamp(deadlines.shortestMs() / SWEEPS_PER_DEADLINE, SWEEP_MS_MIN, SWEEP_MS_MAX);
    }

    /**
     * Registers an unauthenticated connection.
     *
     * @param peer its known identity: an address or a uid
     */
    public GuardedConnection unauthenticated(String peer, GuardedConnection.Ending ending) {
        return arrive(new GuardedConnection(this, peer, false, ending));
    }

    /**
     * Registers a connection of an admitted local user that the kernel names.
     *
     * @throws BrigException {@code MAX_CONNECTIONS}; the connection is not registered then
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
        // Again: the last connection of a peer removes the set.
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

    /** The connection was authenticated, or is gone. */
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

    /** @return the sweep at which that wait is over */
    long expect(GuardedConnection guarded, GuardedConnection.Wait wait) {
        awaited.add(guarded);
        if (!sweeping) {
            sweeping = true;
            timers.after(sweepMs, this::sweep);
        }
        // One more, since the next sweep may be due at once.
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

    /** Number of authenticated connections. */
    public int places() {
        return places;
    }

    /** Number of unauthenticated connections. */
    public int unauthenticated() {
        return unauthenticated.size();
    }

    public Bounds bounds() {
        return bounds;
    }
}
