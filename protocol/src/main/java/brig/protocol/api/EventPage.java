package brig.protocol.api;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What agents' hooks reported.
 *
 * @param epoch what the numbers count within
 * @param firstSeq the oldest that is still there
 * @param lastSeq the newest
 */
@Extensible
public record EventPage(List<Event> events, String epoch, long firstSeq, long lastSeq) {
    /**
     * One report.
     *
     * @param ts milliseconds since 1970
     * @param type words joined by dots, such as {@code session.created}
     * @param sessionId the agent's own id, where the report says it
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
