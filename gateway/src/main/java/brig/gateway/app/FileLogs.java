package brig.gateway.app;

import brig.gateway.spawn.Logs;
import brig.gateway.store.FileStreamArchive;
import brig.gateway.stream.StreamLog;
import brig.protocol.Fields;
import brig.protocol.Json;
import brig.protocol.Limits;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Logs whose archives are folders below the state folder. */
record FileLogs(Path streams, long bytesMax, Executor disk, Executor loop, StreamLog.Environment environment) implements Logs {
    @Override
    public StreamLog create(String spawnId, String epoch, long lastSeq) {
        return new StreamLog(epoch, lastSeq, archive(spawnId), environment);
    }

    @Override
    public CompletionStage<Reopened> reopen(String spawnId, String epoch) {
        FileStreamArchive archive = archive(spawnId);
        return archive.open().thenCompose(lastSeq -> archive.read(Math.max(lastSeq - 1, 1), 2 * Limits.FRAME_BYTES_MAX)
                .thenApply(last -> reopened(new StreamLog(epoch, lastSeq, archive, environment), last.lines())));
    }

    private static Reopened reopened(StreamLog log, byte[] lastTwo) {
        List<Fields> frames = new String(lastTwo, StandardCharsets.UTF_8).lines()
                .map(line -> new Fields(Json.parseObject(line.getBytes(StandardCharsets.UTF_8)))).toList();
        boolean complete = !frames.isEmpty() && "state".equals(frames.getLast().text("type"))
                && "terminated".equals(frames.getLast().text("state"));
        boolean done = complete && frames.size() > 1 && "done".equals(frames.getFirst().text("type"));
        return new Reopened(log, complete, done ? frames.getFirst().asMap() : Map.of());
    }

    private FileStreamArchive archive(String spawnId) {
        return new FileStreamArchive(streams.resolve(spawnId), bytesMax, disk, loop);
    }
}
