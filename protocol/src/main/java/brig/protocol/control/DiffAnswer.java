package brig.protocol.control;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * An agent's changes since its start, committed or not; or how another worktree differs from this one.
 *
 * @param to the spawn of the other one; null for none
 * @param branch the branch of a worktree; null for a copy, which has none
 * @param workspace the folder
 * @param diff as git shows it, at most 512 KiB
 * @param truncated whether it was cut
 */
@Extensible
public record DiffAnswer(
        String spawnId,
        @Nullable String to,
        @Nullable String branch,
        String workspace,
        String diff,
        boolean truncated) {}
