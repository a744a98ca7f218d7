package brig.protocol.api;

import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several gateways as one, as one of them sees it.
 *
 * @param gateway the name of the gateway that answers; null if it is alone
 * @param connected whether NATS answers it
 * @param hosts those that gateways share, by name
 */
@Extensible
public record ClusterView(@Nullable String gateway, boolean connected, List<SharedHost> hosts) {
    /** A gateway alone. */
    public static final ClusterView ALONE = new ClusterView(null, false, List.of());

    /** What a gateway does with a shared host. */
    public enum Part {
        /** It shows what the owner tells of it. */
        FOLLOWING,
        /** It is about to own it. */
        TAKING,
        /** It talks to the worker-agent there. */
        OWNING
    }

    /**
     * A host that gateways share.
     *
     * @param part what the gateway that answers does with it
     * @param owner the name of the gateway that owns it; null if none is known to
     * @param term of that owner: greater than those of all before; 0 if it has just taken the host
     * @param up whether the owner lives and reaches the worker-agent there
     * @param position how far the gateway that answers has read the log of the host
     */
    @Extensible
    public record SharedHost(
            String name, Part part, @Nullable String owner, long term, boolean up, long position) {}
}
