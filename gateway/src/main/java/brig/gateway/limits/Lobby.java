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
 * <p>Who has not said who it is is a stranger. It has a deadline for what it is expected to do next and takes no place of
 * {@code limits.connectionsMax}. Where there are too many strangers of one peer, or in all, the one that came first gives
 * way to the one that comes: a flood of silent connections pushes out itself, and who speaks at once is heard. Who is
 * known holds a place until the connection is closed. The last places are kept for the host's own users and for admins.
 *
 * <p>A user of this host whom the kernel names is known from the beginning. Until it has spoken it counts among the
 * strangers of its uid, but makes room for those alone. One sweep looks at all deadlines, so that setting one is a write
 * to a field. State owned by the event loop.
 */
public final class Lobby {
    /**
     * How many there may be.
     *
     * @param placesMax connections that are known
     * @param reserved of these, for users of this host and admins; at most half of them
     * @param strangersMax connections that are not known, and whom the kernel does not vouch for
     * @param strangersPerPeerMax connections of one peer that have not said anything that counts
     */
    public record Bounds(int placesMax, int reserved, int strangersMax, int strangersPerPeerMax) {
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
    private final LinkedHashSet<Visitor> strangers = new LinkedHashSet<>();

    private final Map<String, LinkedHashSet<Visitor>> silentByPeer = new HashMap<>();
    /** Those that may have a deadline. */
    private final LinkedHashSet<Visitor> awaited = new LinkedHashSet<>();

    private int places;
    /** Counts sweeps: the time by which deadlines are reckoned. */
    private long sweeps;

    private boolean sweeping;

    public Lobby(Bounds bounds, Deadlines deadlines, Timers timers) {
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
    public Visitor stranger(String peer, Visitor.Ending ending) {
        return arrive(new Visitor(this, peer, false, ending));
    }

    /**
     * A connection of a user of this host that the kernel names, and that may come in.
     *
     * @throws BrigException {@code MAX_CONNECTIONS}; then there is no visitor
     */
    public Visitor neighbour(String peer, Visitor.Ending ending) {
        takePlace(true);
        return arrive(new Visitor(this, peer, true, ending));
    }

    private Visitor arrive(Visitor visitor) {
        LinkedHashSet<Visitor> silent = silentByPeer.computeIfAbsent(visitor.peer(), peer -> new LinkedHashSet<>());
        if (silent.size() >= bounds.strangersPerPeerMax()) {
            giveWay(silent.getFirst(), "connections.unauthenticatedPerPeerMax (" + bounds.strangersPerPeerMax() + ")");
        } else if (!visitor.isVouched() && strangers.size() >= bounds.strangersMax()) {
            giveWay(strangers.getFirst(), "connections.unauthenticatedMax (" + bounds.strangersMax() + ")");
        }
        // Again: the last of a peer takes the set with it.
        silentByPeer
                .computeIfAbsent(visitor.peer(), peer -> new LinkedHashSet<>())
                .add(visitor);
        if (!visitor.isVouched()) {
            strangers.add(visitor);
        }
        return visitor;
    }

    private static void giveWay(Visitor visitor, String limit) {
        visitor.end(new BrigException(
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

    /** The visitor is no stranger any more, or gone. */
    void forgetStranger(Visitor visitor) {
        strangers.remove(visitor);
        silentByPeer.computeIfPresent(visitor.peer(), (peer, silent) -> {
            silent.remove(visitor);
            return silent.isEmpty() ? null : silent;
        });
    }

    void forget(Visitor visitor) {
        forgetStranger(visitor);
        awaited.remove(visitor);
    }

    /** @return the sweep at which that wait is over for the visitor */
    long expect(Visitor visitor, Visitor.Wait wait) {
        awaited.add(visitor);
        if (!sweeping) {
            sweeping = true;
            timers.after(sweepMs, this::sweep);
        }
        // One more: the next sweep may be due at once.
        return sweeps + 1 + Math.ceilDiv(deadlines.ms(wait), sweepMs);
    }

    private void sweep() {
        sweeps++;
        awaited.removeIf(visitor -> !visitor.isAwaited());
        awaited.stream().filter(visitor -> visitor.isLate(sweeps)).toList().forEach(Visitor::endLate);
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
    public int strangers() {
        return strangers.size();
    }

    public Bounds bounds() {
        return bounds;
    }
}
