package brig.workeragent.wall;

import brig.egress.policy.EgressPolicy;
import brig.egress.secret.Placeholder;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Serves the sockets of walls with egress. Thread-safe. */
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
     * The sockets of one process, and the worker that they serve.
     *
     * @param placeholders the placeholder of each secret, by the secret's name
     * @param network owned by the caller, who closes it when it is {@link End#released}
     */
    record Registration(
            String spawnId, String agent, EgressPolicy policy, Map<String, String> placeholders, WallNetwork network) {}

    /** Serves sockets until this is ended. */
    interface Handle {
        /** Ends it without waiting. */
        End end();
    }

    /**
     * The stages of an end. Neither fails.
     *
     * @param released when no descriptor of the network will be sent any more, so that its number may be reused
     * @param told when every event of the process was reported, which follows {@code released}, or after a timeout
     */
    record End(CompletableFuture<Void> released, CompletableFuture<Void> told) {}

    /**
     * A PEM file with the certificate that walls must trust, created if there is none. Blocks.
     *
     * @throws brig.protocol.BrigException {@code SANDBOX_UNAVAILABLE}
     */
    Path authority();

    /** The placeholders of secrets in a wall, by the secret's name. */
    default Map<String, String> placeholders(Set<String> secrets) {
        return Placeholder.forEach(secrets);
    }

    /** Begins to serve these sockets; earlier connections wait. */
    Handle take(Registration taking);
}
