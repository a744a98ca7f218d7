package brig.gateway.worker;

import brig.protocol.control.EgressGrant;
import brig.protocol.control.EgressHappened;
import brig.protocol.spawn.SpawnRequest;
import java.util.concurrent.CompletionStage;

/** A worker-agent that serves networks of workers on other hosts, or has workers that another one serves. */
public interface NetworkAgent extends WorkerAgent {
    /** As {@link #check}, for a worker whose network another worker-agent serves. */
    CompletionStage<Void> checkGranted(SpawnRequest request, SpawnRequest.Asker asker);

    /** Serves the network of a worker on another host. Asked again, it answers the same. */
    CompletionStage<EgressGrant> grant(String spawnId, SpawnRequest request);

    /** Ends that. */
    CompletionStage<Void> ungrant(String spawnId);

    /** Says what happened to the network of one of its workers. */
    CompletionStage<Void> tell(EgressHappened happened);
}
