package brig.gateway.spawn;

import brig.gateway.stream.StreamLog;
import brig.protocol.frame.Frame;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Creates the logs of spawns, each with its archive. */
public interface StreamLogs {
    /** A log for a new spawn, whose first frame follows {@code lastSeq}. */
    StreamLog create(String spawnId, String epoch, long lastSeq);

    /**
     * A log of an earlier process.
     *
     * @param complete whether it has the last frame, {@code state terminated}
     * @param done the {@code done} frame right before that one; null for none
     */
    record Reopened(StreamLog log, boolean complete, Frame.@Nullable Done done) {}

    /** Opens the log of a spawn that an earlier process recorded. Completes on the event loop. */
    CompletionStage<Reopened> reopen(String spawnId, String epoch);

    /**
     * The same without what stands behind the first gap of the record: all of that is in a shared log, or its worker sends it
     * again. A gap that stayed would be one for every gateway.
     */
    CompletionStage<Reopened> reopenToGap(String spawnId, String epoch);

    /**
     * Keeps the last lines of a recorded stream readable. If the disk did not take them, they are written once it does.
     */
    void keepEnd(String spawnId, long firstSeq, long lastSeq, byte[] lines);
}
