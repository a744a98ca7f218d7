package brig.gateway.stream;

import brig.protocol.Limits;
import brig.protocol.wire.ChunkLine;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Merges the text of a batch: consecutive chunks of the same agent, tool and stream that were written within a time
 * become one chunk, which says whose content it has. All other frames stay as they are, at their place. Frames that a
 * filter leaves out are not between others.
 *
 * <p>Decision 0175.
 */
final class TextMerger {
    /** Length of {@code ,"from":} and a number. */
    private static final int FROM_BYTES_MAX = 24;

    private final long withinMs;
    private final @Nullable AgentFilter narrowing;

    /** @param narrowing selects the frames wanted; null for all */
    TextMerger(long withinMs, @Nullable AgentFilter narrowing) {
        this.withinMs = withinMs;
        this.narrowing = narrowing;
    }

    /** Passes on what becomes of the batch: itself if all of it stays as it is, nothing if no frame is wanted. */
    void merge(FrameBatch batch, ByteBufAllocator allocator, String epoch, Consumer<FrameBatch> taker) {
        MergedSegment merged = new MergedSegment(allocator, epoch, batch);
        Run run = new Run(merged, batch.bytes());
        batch.forEachLine(run::take);
        run.end();
        if (merged.count() == batch.count()) {
            taker.accept(batch);
        } else if (!merged.isEmpty()) {
            taker.accept(merged.whole());
        }
        merged.release();
    }

    /** Consecutive chunks that become one. */
    private final class Run {
        private final MergedSegment merged;
        private final byte[] contents;
        private int contentBytes;
        /** Null where no text was read since the last frame. */
        private @Nullable ChunkLine first;

        private @Nullable ChunkLine last;

        Run(MergedSegment merged, int bytesMax) {
            this.merged = merged;
            this.contents = new byte[bytesMax];
        }

        void take(long seq, byte[] bytes, int offset, int length) {
            if (narrowing != null && !narrowing.passes(bytes, offset, length)) {
                return;
            }
            ChunkLine chunk = ChunkLine.read(bytes, offset, length);
            if (chunk == null) {
                end();
                merged.append(seq, bytes, offset, length);
                return;
            }
            if (first != null && !isMore(chunk, first)) {
                end();
            }
            first = first == null ? chunk : first;
            last = chunk;
            contentBytes = chunk.copyContent(contents, contentBytes);
        }

        private boolean isMore(ChunkLine chunk, ChunkLine than) {
            return chunk.continues(than, withinMs)
                    && contentBytes + chunk.length() + FROM_BYTES_MAX <= Limits.FRAME_BYTES_MAX;
        }

        void end() {
            if (first != null && last != null) {
                byte[] line = first == last ? first.line() : last.merged(first.seq(), contents, contentBytes);
                merged.append(last.seq(), line, 0, line.length);
            }
            first = null;
            last = null;
            contentBytes = 0;
        }
    }
}
