package brig.gateway.store;

import brig.gateway.stream.GapReason;
import brig.gateway.stream.StreamArchive;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An archive whose last frames can be read even if the disk had no room for them, or its files were deleted. A
 * subscriber to an ended stream must learn how it ended, however much is lost. These few hundred bytes stay in memory
 * until they are written. Owned by the event loop.
 *
 * <p>Decision 0041.
 */
public final class LastFrames implements StreamArchive {
    private final StreamArchive archive;
    private final Consumer<Runnable> later;
    private final Consumer<Throwable> writeFailed;
    /** Null until the stream has ended. */
    private @Nullable Stored end;

    private long endSeq;

    /**
     * @param later runs a task after a pause in which the disk may get room
     * @param writeFailed called for each failed write
     */
    public LastFrames(StreamArchive archive, Consumer<Runnable> later, Consumer<Throwable> writeFailed) {
        this.archive = archive;
        this.later = later;
        this.writeFailed = writeFailed;
    }

    /** The stream ended with these lines: writes them unless they are stored. */
    public void keep(long firstSeq, long lastSeq, byte[] lines) {
        archive.read(lastSeq, 1).whenComplete((found, failure) -> {
            remember(firstSeq, lastSeq, lines);
            if (failure != null || found.lines().length == 0) {
                write(firstSeq, lines);
            }
        });
    }

    /** The stream ended with these lines, which are on disk. */
    public void remember(long firstSeq, long lastSeq, byte[] lines) {
        end = new Stored(firstSeq, lines, GapReason.RECORD_LOST);
        endSeq = lastSeq;
    }

    private void write(long firstSeq, byte[] lines) {
        append(firstSeq, endSeq, Unpooled.wrappedBuffer(lines))
                .thenCompose(written -> archive.close())
                .whenComplete((closed, failure) -> {
                    if (failure != null) {
                        later.accept(() -> write(firstSeq, lines));
                    }
                });
    }

    @Override
    public CompletionStage<Stored> read(long fromSeq, int bytesMax) {
        return archive.read(fromSeq, bytesMax).thenApply(stored -> {
            Stored last = end;
            return stored.lines().length > 0 || last == null || fromSeq > endSeq
                    ? stored
                    : from(fromSeq, last, stored.missing());
        });
    }

    private static Stored from(long fromSeq, Stored end, GapReason missing) {
        int start = 0;
        for (long seq = end.firstSeq(); seq < fromSeq; seq++) {
            while (end.lines()[start++] != '\n') {
                // Continue with the next line.
            }
        }
        byte[] lines = Arrays.copyOfRange(end.lines(), start, end.lines().length);
        return new Stored(Math.max(fromSeq, end.firstSeq()), lines, missing);
    }

    @Override
    public CompletionStage<Void> append(long firstSeq, long lastSeq, ByteBuf lines) {
        return archive.append(firstSeq, lastSeq, lines).whenComplete((written, failure) -> {
            if (failure != null) {
                writeFailed.accept(failure);
            }
        });
    }

    @Override
    public long firstSeq() {
        return archive.firstSeq();
    }

    @Override
    public CompletionStage<Void> close() {
        return archive.close();
    }
}
