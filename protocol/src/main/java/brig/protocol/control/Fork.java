package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.frame.ForkedFrom;
import brig.protocol.record.NotEmpty;
import brig.protocol.spawn.SpawnRequest;
import org.jspecify.annotations.Nullable;

/**
 * What a session begins with that is a fork.
 *
 * @param from the checkpoint that its worktree begins with
 * @param session the agent's own id of the session before, if its conversation ends where the fork begins; null otherwise
 * @param summary what happened before, in words for its agent; null for nothing
 */
public record Fork(
        ForkedFrom from,
        @Nullable String session,
        @NotEmpty @Nullable String summary) {
    public Fork {
        if (session != null && !SpawnRequest.Continuation.isSession(session)) {
            throw BrigException.invalid("fork", "must name the agent's own session by its id");
        }
        if (!Ids.isSpawnId(from.spawnId())) {
            throw BrigException.invalid("fork", "must name a session by its spawn_id");
        }
    }

    /** A copy for an agent that has not that session. */
    public Fork withoutSession() {
        return new Fork(from, null, summary);
    }
}
