package brig.workeragent.wall;

import brig.egress.policy.EgressPolicy;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Who answers at the sockets of walls with egress. Any thread may call. */
public interface EgressGate {
    /** No wall has egress. */
    EgressGate NONE = new EgressGate() {
        @Override
        public Path authority() {
            throw new IllegalStateException("no wall has egress here");
        }

        @Override
        public Handle take(Registration taking) {
            throw new IllegalStateException("no wall has egress here");
        }
    };

    /**
     * The sockets of one process, and on whose behalf they are answered.
     *
     * @param placeholders what stands for each secret inside, by the secret's name
     * @param network stays with the caller, who closes it when it is {@link End#released}
     */
    record Registration(
            String spawnId, String agent, EgressPolicy policy, Map<String, String> placeholders, WallNetwork network) {}

    /** Sockets that are answered until this is ended. */
    interface Handle {
        /** Ends that, and does not wait. */
        End end();
    }

    /**
     * What follows from an end. Neither fails.
     *
     * @param released when no descriptor of the network can be sent any more: its number may stand for another file next
     * @param told when every event of the process was told, or that has taken too long; otherwise behind {@code released}
     */
    record End(CompletableFuture<Void> released, CompletableFuture<Void> told) {}

    /**
     * A PEM file with the certificate that walls have to trust, made if there is none. Blocks.
     *
     * @throws brig.protocol.BrigException {@code SANDBOX_UNAVAILABLE}
     */
    Path authority();

    /** Begins to answer at these sockets; what connects before waits. */
    Handle take(Registration taking);
}
