package brig.gateway.resources;

import brig.protocol.api.ClusterView;
import java.util.function.Supplier;

/** Several gateways as one, as the operator sees it. */
public final class ClusterCalls {
    private final Supplier<ClusterView> status;

    public ClusterCalls(Supplier<ClusterView> status) {
        this.status = status;
    }

    public ClusterView status() {
        return status.get();
    }
}
