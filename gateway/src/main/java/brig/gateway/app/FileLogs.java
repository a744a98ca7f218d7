package brig.gateway.app;

import brig.gateway.spawn.Logs;
import brig.gateway.store.FileStreamArchive;
import brig.gateway.store.LastFrames;
import brig.gateway.stream.StreamLog;
import brig.protocol.Fields;
import brig.protocol.Json;
import brig.protocol.Limits;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Logs whose archives are folders below the state folder. Owned by the event loop. */
final class FileLogs implements Logs {
    /** After a failed write of a stream's end: by then an operator may have made room. */
    private static final long END_RETRY_MS = 10_000;

    private final Path streams;
    private final long bytesMax;
    private final Executor disk;
    private final Executor loop;
    private final StreamLog.Environment environment;
    /** Those whose end is still to come. */
    private final Map<String, LastFrames> unended = new HashMap<>();

    FileLogs(Path streams, long bytesMax, Executor disk, Executor loop, StreamLog.Environment environment) {
        this.streams = streams;
        this.bytesMax = bytesMax;
        this.disk = disk;
        this.loop = loop;
        this.environment = environment;
    }

    @Override
    public StreamLog create(String spawnId, String epoch, long lastSeq) {
        return new StreamLog(epoch, lastSeq, kept(spawnId, archive(spawnId)), environment);
    }

    @Override
    public CompletionStage<Reopened> reopen(String spawnId, String epoch) {
        FileStreamArchive archive = archive(spawnId);
        return archive.open().thenCompose(lastSeq -> archive.read(Math.max(lastSeq - 1, 1), 2 * Limits.FRAME_BYTES_MAX)
                .thenApply(last -> reopened(spawnId, epoch, lastSeq, archive, last.lines())));
    }

    private Reopened reopened(String spawnId, String epoch, long lastSeq, FileStreamArchive archive, byte[] lastTwo) {
        List<Fields> frames = new String(lastTwo, StandardCharsets.UTF_8).lines()
                .map(line -> new Fields(Json.parseObject(line.getBytes(StandardCharsets.UTF_8)))).toList();
        boolean complete = !frames.isEmpty() && "state".equals(frames.getLast().text("type"))
                && "terminated".equals(frames.getLast().text("state"));
        boolean done = complete && frames.size() > 1 && "done".equals(frames.getFirst().text("type"));
        return new Reopened(new StreamLog(epoch, lastSeq, complete ? archive : kept(spawnId, archive), environment),
                complete, done ? frames.getFirst().asMap() : Map.of());
    }

    @Override
    public void keepEnd(String spawnId, long firstSeq, long lastSeq, byte[] lines) {
        LastFrames archive = unended.remove(spawnId);
        if (archive != null) {
            archive.keep(firstSeq, lastSeq, lines);
        }
    }

    private LastFrames kept(String spawnId, FileStreamArchive archive) {
        LastFrames kept = new LastFrames(archive, task -> environment.timers().after(END_RETRY_MS, task));
        unended.put(spawnId, kept);
        return kept;
    }

    private FileStreamArchive archive(String spawnId) {
        return new FileStreamArchive(streams.resolve(spawnId), bytesMax, disk, loop);
    }
}
