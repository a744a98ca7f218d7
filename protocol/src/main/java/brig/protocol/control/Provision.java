package brig.protocol.control;

import brig.protocol.record.OmitEmpty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a worker needs besides its request, which the gateway provides and no client can name.
 *
 * @param start what its worktree begins with, if the repository is on another host; null otherwise
 * @param ways to the hosts of its tunnels, in their order
 * @param grant its network, if the worker-agent of another host serves it; null if this one does
 * @param handed whether home hands over its profile and its policy ({@link TransferRequest.TakeOver}), so that those of
 *     this host do not count
 * @param fork the session that it begins with; null for none
 */
public record Provision(
        @Nullable MirrorStart start,
        @OmitEmpty List<TunnelWay> ways,
        @Nullable EgressGrant grant,
        @OmitEmpty boolean handed,
        @Nullable Fork fork) {
    /** Nothing. */
    public static final Provision NONE = new Provision(null, List.of(), null, false, null);

    /** A copy with the ways to the hosts of tunnels. */
    public Provision with(List<TunnelWay> newWays) {
        return new Provision(start, newWays, grant, handed, fork);
    }

    /** A copy with a network that another worker-agent serves. */
    public Provision with(EgressGrant newGrant) {
        return new Provision(start, ways, newGrant, handed, fork);
    }

    /** A copy of a worker for which home hands over profile and policy. */
    public Provision handedOver() {
        return new Provision(start, ways, grant, true, fork);
    }

    /** A copy of a worker that begins with another session. */
    public Provision with(@Nullable Fork newFork) {
        return new Provision(start, ways, grant, handed, newFork);
    }

    /** Of a repository on another host. */
    public static Provision of(MirrorStart start) {
        return new Provision(start, List.of(), null, false, null);
    }
}
