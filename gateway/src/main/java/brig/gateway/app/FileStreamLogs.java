package brig.gateway.app;

import brig.gateway.spawn.StreamLogs;
import brig.gateway.store.FileStreamArchive;
import brig.gateway.store.LastFrames;
import brig.gateway.stream.StreamLog;
import brig.protocol.BrigException;
import brig.protocol.Limits;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Stream logs recorded in folders below the state folder. Owned by the event loop. */
final class FileStreamLogs implements StreamLogs {
    /** Retry interval after a failed write of a stream's end: an operator may have made room meanwhile. */
    private static final long END_RETRY_MS = 10_000;

    private final Path streams;
    private final long bytesMax;
    private final Executor disk;
    private final Executor loop;
    private final StreamLog.Services environment;
    /** Called for each failed write. */
    private final Consumer<Throwable> writeFailed;
    /** Streams whose end is not written yet. */
    private final Map<String, LastFrames> unended = new HashMap<>();

    FileStreamLogs(
            Path streams,
            long bytesMax,
            Executor disk,
            Executor loop,
            StreamLog.Services environment,
            Consumer<Throwable> writeFailed) {
        this.streams = streams;
        this.bytesMax = bytesMax;
        this.disk = disk;
        this.loop = loop;
        this.environment = environment;
        this.writeFailed = writeFailed;
    }

    @Override
    public StreamLog create(String spawnId, String epoch, long lastSeq) {
        LastFrames kept = kept(archive(spawnId));
        unended.put(spawnId, kept);
        return new StreamLog(epoch, lastSeq, kept, environment);
    }

    @Override
    public CompletionStage<Reopened> reopen(String spawnId, String epoch) {
        FileStreamArchive archive = archive(spawnId);
        return reopened(spawnId, epoch, archive, archive.open());
    }

    @Override
    public CompletionStage<Reopened> reopenToGap(String spawnId, String epoch) {
        FileStreamArchive archive = archive(spawnId);
        return reopened(spawnId, epoch, archive, archive.openToGap());
    }

    private CompletionStage<Reopened> reopened(
            String spawnId, String epoch, FileStreamArchive archive, CompletionStage<Long> opened) {
        return opened.thenCompose(lastSeq -> archive.read(Math.max(lastSeq - 1, 1), 2 * Limits.FRAME_BYTES_MAX)
                .thenApply(last -> reopened(spawnId, epoch, lastSeq, archive, last.lines())));
    }

    private Reopened reopened(String spawnId, String epoch, long lastSeq, FileStreamArchive archive, byte[] lastTwo) {
        List<byte[]> lines = lines(lastTwo);
        List<@Nullable Frame> frames = new ArrayList<>();
        lines.forEach(line -> frames.add(frame(line)));
        boolean complete = !frames.isEmpty() && frames.getLast() instanceof Frame.State state && state.isTerminated();
        Frame.Done done =
                complete && frames.size() > 1 && frames.getFirst() instanceof Frame.Done before ? before : null;
        LastFrames kept = kept(archive);
        if (complete) {
            kept.remember(done == null ? lastSeq : lastSeq - 1, lastSeq, done == null ? lines.getLast() : lastTwo);
        } else {
            unended.put(spawnId, kept);
        }
        return new Reopened(new StreamLog(epoch, lastSeq, kept, environment), complete, done);
    }

    private static List<byte[]> lines(byte[] bytes) {
        List<byte[]> lines = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                lines.add(Arrays.copyOfRange(bytes, start, i + 1));
                start = i + 1;
            }
        }
        return lines;
    }

    /** A line of a record without checksums may contain anything. */
    private static @Nullable Frame frame(byte[] line) {
        try {
            return Json.read(line, 0, line.length - 1, NumberedFrame.class).frame();
        } catch (BrigException e) {
            return null;
        }
    }

    @Override
    public void keepEnd(String spawnId, long firstSeq, long lastSeq, byte[] lines) {
        LastFrames archive = unended.remove(spawnId);
        if (archive != null) {
            archive.keep(firstSeq, lastSeq, lines);
        }
    }

    private LastFrames kept(FileStreamArchive archive) {
        return new LastFrames(archive, task -> environment.timers().after(END_RETRY_MS, task), writeFailed);
    }

    private FileStreamArchive archive(String spawnId) {
        return new FileStreamArchive(streams.resolve(spawnId), bytesMax, disk, loop);
    }
}
