package brig.gateway.spawn;

import brig.gateway.limits.Admission;
import brig.protocol.control.Fork;
import brig.protocol.spawn.SpawnRequest;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The other gateways of a cluster, as far as spawns are theirs. */
public interface Peers {
    /** There are none. */
    Peers NONE = new Peers() {
        @Override
        public boolean isTheirs(@Nullable String host) {
            return false;
        }

        @Override
        public CompletionStage<AcceptedSpawn> spawn(
                SpawnRequest placed, @Nullable Fork fork, Admission.Applicant asker) {
            throw new IllegalStateException("nobody else is there");
        }

        @Override
        public CompletionStage<Void> terminate(Spawn spawn, String reason, String by) {
            throw new IllegalStateException("nobody else is there");
        }
    };

    /** Whether another gateway owns that host, or nobody does now; null is the gateway's own. */
    boolean isTheirs(@Nullable String host);

    /**
     * Has the owner of the request's host begin a spawn.
     *
     * @param fork what it begins with; null for nothing
     * @return completes when the spawn is known here
     */
    CompletionStage<AcceptedSpawn> spawn(SpawnRequest placed, @Nullable Fork fork, Admission.Applicant asker);

    /** Has the owner of its host end a spawn. */
    CompletionStage<Void> terminate(Spawn spawn, String reason, String by);
}
