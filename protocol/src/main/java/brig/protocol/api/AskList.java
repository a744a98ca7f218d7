package brig.protocol.api;

import brig.protocol.frame.Frame;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The asks that wait for an answer, the one with the nearest deadline first.
 *
 * @param asks of all sessions that the caller may read
 */
@Extensible
public record AskList(List<View> asks) {
    /**
     * An open ask.
     *
     * @param ask as in its frame
     * @param profile the name of the session's agent
     * @param host the remote host of its worker; null for the gateway's own
     * @param sessionId the agent's own session id; null until it is known
     */
    @Extensible
    public record View(
            String spawnId,
            String taskId,
            @Nullable String sessionId,
            String profile,
            @Nullable String host,
            @Flat(tagged = false) Frame.Ask ask) {}
}
