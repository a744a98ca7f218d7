package brig.gateway.store;

import brig.gateway.stream.StreamArchive;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An archive whose last frames can be read even if the disk had no room for them. A reader that comes when a stream is
 * over has to learn how it ended, however much of it is lost; that is a few hundred bytes, which wait in memory until
 * they can be written. State owned by the event loop.
 */
public final class LastFrames implements StreamArchive {
    private final StreamArchive archive;
    private final Consumer<Runnable> later;
    /** What is not on disk; null where nothing is missing. */
    private @Nullable Stored waiting;
    private long waitingLastSeq;

    /** @param later runs something after a pause in which the disk may get room */
    public LastFrames(StreamArchive archive, Consumer<Runnable> later) {
        this.archive = archive;
        this.later = later;
    }

    /** The stream has ended, with these lines: writes them unless they are there. */
    public void keep(long firstSeq, long lastSeq, byte[] lines) {
        archive.read(lastSeq, 1).whenComplete((found, failure) -> {
            if (failure != null || found.lines().length == 0) {
                waiting = new Stored(firstSeq, lines);
                waitingLastSeq = lastSeq;
                write();
            }
        });
    }

    private void write() {
        Stored end = waiting;
        if (end == null) {
            return;
        }
        archive.append(end.firstSeq(), waitingLastSeq, Unpooled.wrappedBuffer(end.lines()))
                .thenCompose(written -> archive.close())
                .whenComplete((closed, failure) -> {
                    if (failure == null) {
                        waiting = null;
                    } else {
                        later.accept(this::write);
                    }
                });
    }

    @Override
    public CompletionStage<Stored> read(long fromSeq, int bytesMax) {
        return archive.read(fromSeq, bytesMax).thenApply(stored -> {
            Stored end = waiting;
            return stored.lines().length > 0 || end == null || fromSeq > waitingLastSeq ? stored : from(fromSeq, end);
        });
    }

    private static Stored from(long fromSeq, Stored end) {
        int start = 0;
        for (long seq = end.firstSeq(); seq < fromSeq; seq++) {
            while (end.lines()[start++] != '\n') {
                // On to the next line.
            }
        }
        return new Stored(Math.max(fromSeq, end.firstSeq()), Arrays.copyOfRange(end.lines(), start, end.lines().length));
    }

    @Override
    public CompletionStage<Void> append(long firstSeq, long lastSeq, ByteBuf lines) {
        return archive.append(firstSeq, lastSeq, lines);
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
