package brig.gateway.tree;

import brig.gateway.stream.StreamLog;
import brig.protocol.api.BudgetView;
import brig.protocol.frame.TokenUsage;
import brig.protocol.wire.FrameType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The tree of a spawn, updated with its stream. After a restart, and after the end of the stream, it is not in memory;
 * it is then built on demand from the record, which is the source of truth. Without a query it costs nothing. Owned by
 * the event loop.
 *
 * <p>Decision 0188.
 */
public final class SpawnTree {
    private StreamLog log;
    /** Null until a query, and after it was dropped. */
    private @Nullable AgentTree tree;

    /** What the agents of a dropped tree had used, and of what. */
    private @Nullable TokenUsage used;

    private @Nullable BudgetView budget;

    private @Nullable CompletableFuture<AgentTree> reading;

    /** @param log whose frames are all still to come, or are in its record */
    public SpawnTree(StreamLog log) {
        this.log = log;
        this.tree = log.lastSeq() == 0 ? new AgentTree() : null;
    }

    /** A frame was appended to the log. */
    public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
        if (tree != null) {
            tree.handle(type, seq, bytes, offset, length);
        }
    }

    /** The stream continues, or begins again, in that log. */
    public void restart(StreamLog fresh) {
        log = fresh;
        forget();
        used = null;
        budget = null;
    }

    /** Drops the tree from memory; its usage is kept, for lists of what has ended. */
    public void forget() {
        used = usage();
        budget = budget();
        tree = null;
        reading = null;
    }

    /** The total usage; null if it is unknown, or the tree has not been in memory since the gateway started. */
    public @Nullable TokenUsage usage() {
        return tree == null ? used : tree.usage();
    }

    /** What is used up of the session's own budget; null without one, and where the usage is unknown. */
    public @Nullable BudgetView budget() {
        return tree == null ? budget : tree.budget();
    }

    /** Completes with the current tree of the stream. */
    public CompletionStage<AgentTree> read() {
        if (tree != null) {
            return CompletableFuture.completedFuture(tree);
        }
        if (reading != null) {
            return reading;
        }
        CompletableFuture<AgentTree> begun = new CompletableFuture<>();
        reading = begun;
        TreeReader.read(log).thenAccept(read -> {
            if (reading == begun) {
                reading = null;
                tree = read;
            }
            begun.complete(read);
        });
        return begun;
    }
}
