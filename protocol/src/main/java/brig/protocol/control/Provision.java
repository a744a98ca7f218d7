package brig.protocol.control;

import org.jspecify.annotations.Nullable;

/**
 * What a worker needs besides its request, which the gateway provides and no client can name.
 *
 * @param start what its worktree begins with, if the repository is on another host; null otherwise
 * @param way to the host of its tunnel; null without one
 */
public record Provision(
        @Nullable MirrorStart start, @Nullable TunnelWay way) {
    /** Nothing. */
    public static final Provision NONE = new Provision(null, null);

    /** A copy with the way to the host of a tunnel. */
    public Provision with(@Nullable TunnelWay newWay) {
        return new Provision(start, newWay);
    }
}
