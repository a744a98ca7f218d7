package brig.workeragent.worker;

import brig.formats.adapter.Frames;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Checkpoint;
import brig.protocol.control.CheckpointAnswer;
import brig.protocol.control.CheckpointsAnswer;
import brig.protocol.frame.Frame;
import brig.workeragent.pump.Outbox;
import brig.workeragent.workspace.MadeWorkspaces;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints of sessions: those of their workspaces, each told by a frame. After the end of a session they have the
 * number of its last frame. Blocks; thread-safe.
 *
 * <p>Decision 0206.
 */
public final class SessionCheckpoints {
    private final Workers workers;
    private final MadeWorkspaces made;
    private final LongSupplier nowMs;

    public SessionCheckpoints(Workers workers, MadeWorkspaces made, LongSupplier nowMs) {
        this.workers = workers;
        this.made = made;
        this.nowMs = nowMs;
    }

    /** @throws BrigException {@code CHECKPOINT_UNAVAILABLE} without a worktree */
    public CheckpointsAnswer list(String spawnId) {
        requireWorktree(spawnId);
        return made.checkpoints(spawnId);
    }

    /**
     * Takes one.
     *
     * @param lastSeq the newest frame of a session that has ended
     */
    public CheckpointAnswer take(String spawnId, long lastSeq) {
        requireWorktree(spawnId);
        return new CheckpointAnswer(
                spawnId,
                made.checkpoint(
                        spawnId, Frame.Checkpoint.Cause.ASKED, checkpoint -> number(spawnId, checkpoint, lastSeq)));
    }

    /**
     * Makes a workspace what it was at a checkpoint, while nothing works in it.
     *
     * @param at null for the newest
     * @return what was there
     * @throws BrigException {@code AGENT_WORKING}
     */
    public CheckpointAnswer restore(String spawnId, @Nullable Long at, long lastSeq) throws InterruptedException {
        requireWorktree(spawnId);
        Worker worker = workers.live(spawnId);
        CompletableFuture<Checkpoint> before = new CompletableFuture<>();
        Runnable restore = () -> {
            try {
                before.complete(made.restore(spawnId, at, checkpoint -> number(spawnId, checkpoint, lastSeq)));
            } catch (BrigException e) {
                before.completeExceptionally(e);
            }
        };
        if (worker == null) {
            restore.run();
        } else {
            worker.whileAtRest(
                    restore,
                    () -> before.completeExceptionally(new BrigException(
                            ErrorCode.AGENT_WORKING,
                            "the agent works: wait for the end of its turn, or cancel it, and try again",
                            1)));
        }
        try {
            return new CheckpointAnswer(spawnId, before.get());
        } catch (ExecutionException e) {
            throw e.getCause() instanceof BrigException refusal ? refusal : new CompletionException(e.getCause());
        }
    }

    private long number(String spawnId, Checkpoint made, long lastSeq) {
        Worker worker = workers.live(spawnId);
        long seq = worker == null ? 0 : tell(worker.outbox(), made, nowMs.getAsLong());
        if (seq == 0 && worker != null) {
            return worker.outbox().lastSeq();
        }
        return seq == 0 ? lastSeq : seq;
    }

    /** @return the number of the frame that tells of it; 0 if the session has ended */
    static long tell(Outbox outbox, Checkpoint made, long nowMs) {
        Frame.Checkpoint frame = new Frame.Checkpoint(made.tree(), made.cause(), made.restored(), made.bytes());
        return outbox.appendNumbered(frame.type(), Frames.body(nowMs, frame));
    }

    private void requireWorktree(String spawnId) {
        if (workers.live(spawnId) != null && !made.isMade(spawnId)) {
            throw new BrigException(
                    ErrorCode.CHECKPOINT_UNAVAILABLE,
                    "checkpoints are of worktrees, and this session works in a folder itself: start one with --repository");
        }
    }
}
