package brig.gateway.spawn;

import brig.gateway.stream.StreamLog;
import java.util.concurrent.CompletionStage;

/** Makes the logs of spawns, each with its archive. */
public interface Logs {
    /** A log for a new spawn. */
    StreamLog create(String spawnId, String epoch, long lastSeq);

    /** The log of a spawn that an earlier process recorded. Completes on the event loop. */
    CompletionStage<StreamLog> reopen(String spawnId, String epoch);
}
