package brig.workeragent.wall;

import brig.egress.policy.EgressPolicy;
import java.nio.file.Path;
import java.util.Map;

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
     * @param network stays with the caller, who closes it after what {@link #take} gave
     */
    record Registration(
            String spawnId, String agent, EgressPolicy policy, Map<String, String> placeholders, WallNetwork network) {}

    /** Sockets that are answered until this is closed. */
    interface Handle extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * A PEM file with the certificate that walls have to trust, made if there is none. Blocks.
     *
     * @throws brig.protocol.BrigException {@code SANDBOX_UNAVAILABLE}
     */
    Path authority();

    /** Begins to answer at these sockets; what connects before waits. */
    Handle take(Registration taking);
}
