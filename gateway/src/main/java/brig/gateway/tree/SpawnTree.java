package brig.gateway.tree;

import brig.gateway.stream.StreamLog;
import brig.protocol.frame.TokenUsage;
import brig.protocol.wire.FrameType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The tree of a spawn, which grows with its stream. After a restart, and when the stream has ended, there is none in
 * memory: it is read from the record when somebody asks, since the record is the truth and the tree follows from it.
 * Nobody who does not ask pays for it. Owned by the event loop.
 */
public final class SpawnTree {
    private StreamLog log;
    /** Null while nobody asked since it was let go. */
    private @Nullable AgentTree tree;

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

    /** The stream goes on in that log, or begins again there. */
    public void restart(StreamLog fresh) {
        log = fresh;
        forget();
    }

    /** Gives up what is in memory. */
    public void forget() {
        tree = null;
        reading = null;
    }

    /** What its agents cost together; null where the tree is not in memory, or knows of none. */
    public @Nullable TokenUsage usage() {
        return tree == null ? null : tree.usage();
    }

    /** Completes with the tree as the stream tells it until now. */
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
