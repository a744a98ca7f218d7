package brig.gateway.spawn;

import brig.gateway.stream.StreamLog;
import brig.protocol.frame.Frame;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Makes the logs of spawns, each with its archive. */
public interface StreamLogs {
    /** A log for a new spawn, whose first frame is the one behind {@code lastSeq}. */
    StreamLog create(String spawnId, String epoch, long lastSeq);

    /**
     * A log that an earlier process wrote.
     *
     * @param complete the last frame, {@code state terminated}, is in it
     * @param done the frame {@code done} right before that one; null where there is none
     */
    record Reopened(StreamLog log, boolean complete, Frame.@Nullable Done done) {}

    /** The log of a spawn that an earlier process recorded. Completes on the event loop. */
    CompletionStage<Reopened> reopen(String spawnId, String epoch);

    /**
     * A stream is recorded, and these are its last lines. Where the disk did not take them they can be read nevertheless,
     * and are written when it does.
     */
    void keepEnd(String spawnId, long firstSeq, long lastSeq, byte[] lines);
}
