package brig.gateway.worker;

import brig.protocol.control.ControlRequest.Check;
import brig.protocol.control.EgressGrant;
import brig.protocol.control.EgressHappened;
import brig.protocol.spawn.SpawnRequest;
import java.util.concurrent.CompletionStage;

/** A worker-agent as it works together with that of another host: the one at home, or the one of the worker's host. */
public interface NetworkAgent extends WorkerAgent {
    /** As {@link #check}, of its part alone. */
    CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker, Check.Part part);

    /** Serves the network of a worker on another host. Asked again, it answers the same. */
    CompletionStage<EgressGrant> grant(String spawnId, SpawnRequest request);

    /** Ends that. */
    CompletionStage<Void> ungrant(String spawnId);

    /** Says what happened to the network of one of its workers. */
    CompletionStage<Void> tell(EgressHappened happened);
}
