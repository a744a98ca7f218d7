package brig.gateway.spawn;

import brig.gateway.stream.StreamLog;
import java.util.concurrent.CompletionStage;

/** Makes the logs of spawns, each with its archive. */
public interface Logs {
    /** A log for a new spawn. */
    StreamLog create(String spawnId, String epoch, long lastSeq);

    /** A log that an earlier process wrote. {@code complete}: the last frame, {@code state terminated}, is in it. */
    record Reopened(StreamLog log, boolean complete) {}

    /** The log of a spawn that an earlier process recorded. Completes on the event loop. */
    CompletionStage<Reopened> reopen(String spawnId, String epoch);
}
