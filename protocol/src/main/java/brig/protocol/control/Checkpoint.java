package brig.protocol.control;

import brig.protocol.frame.Frame;
import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint of a workspace.
 *
 * @param seq the number of the frame that it belongs to; 0 for the beginning of the workspace
 * @param tree git's name for the files that it holds
 * @param cause why it was taken
 * @param restored the checkpoint that the workspace then became; null for none
 * @param takenMs when it was taken, milliseconds since 1970
 * @param bytes what it added to the files that Brig keeps
 */
@Extensible
public record Checkpoint(
        long seq,
        String tree,
        Frame.Checkpoint.@Nullable Cause cause,
        @Nullable Long restored,
        long takenMs,
        long bytes) {}
