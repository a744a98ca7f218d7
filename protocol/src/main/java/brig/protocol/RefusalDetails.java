package brig.protocol;

import brig.protocol.record.OmitEmpty;
import org.jspecify.annotations.Nullable;

/**
 * What a refusal is about, beside its code, its sentence and its hint.
 *
 * @param queuePosition the place in the queue that was given up, from 1; 0 where there was none
 * @param state of the spawn
 * @param sessionId the agent's own id of the spawn
 * @param messageId of the message that is refused
 */
public record RefusalDetails(
        @OmitEmpty int queuePosition,
        @Nullable SpawnState state,
        @Nullable String spawnId,
        @Nullable String sessionId,
        @Nullable String messageId) {
    public static final RefusalDetails NONE = new RefusalDetails(0, null, null, null, null);
}
