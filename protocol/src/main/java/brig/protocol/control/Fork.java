package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.frame.ForkedFrom;
import brig.protocol.record.NotEmpty;
import org.jspecify.annotations.Nullable;

/**
 * What a session begins with that is a fork.
 *
 * @param from the checkpoint that its worktree begins with
 * @param summary what happened before, in words for its agent; null for nothing
 */
public record Fork(ForkedFrom from, @NotEmpty @Nullable String summary) {
    public Fork {
        if (!Ids.isSpawnId(from.spawnId())) {
            throw BrigException.invalid("fork", "must name a session by its spawn_id");
        }
    }
}
