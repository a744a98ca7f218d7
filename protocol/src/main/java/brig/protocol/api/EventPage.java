package brig.protocol.api;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events that agents' hooks reported.
 *
 * @param epoch the epoch of the numbers
 * @param firstSeq the oldest number still available
 * @param lastSeq the newest
 */
@Extensible
public record EventPage(List<Event> events, String epoch, long firstSeq, long lastSeq) {
    /**
     * One event.
     *
     * @param ts milliseconds since 1970
     * @param type words joined by dots, such as {@code session.created}
     * @param sessionId the agent's own session id, if reported
     */
    @Extensible
    public record Event(
            long seq,
            long ts,
            String type,
            String spawnId,
            @Nullable String sessionId,
            JsonObject data) {}
}
