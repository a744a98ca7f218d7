package brig.protocol.control;

import org.jspecify.annotations.Nullable;

/**
 * What a worker needs besides its request, which the gateway provides and no client can name.
 *
 * @param start what its worktree begins with, if the repository is on another host; null otherwise
 * @param way to the host of its tunnel; null without one
 * @param grant its network, if the worker-agent of another host serves it; null if this one does
 */
public record Provision(
        @Nullable MirrorStart start,
        @Nullable TunnelWay way,
        @Nullable EgressGrant grant) {
    /** Nothing. */
    public static final Provision NONE = new Provision(null, null, null);

    /** A copy with the way to the host of a tunnel. */
    public Provision with(@Nullable TunnelWay newWay) {
        return new Provision(start, newWay, grant);
    }

    /** A copy with a network that another worker-agent serves. */
    public Provision with(EgressGrant newGrant) {
        return new Provision(start, way, newGrant);
    }

    /** Of a repository on another host. */
    public static Provision of(MirrorStart start) {
        return new Provision(start, null, null);
    }
}
