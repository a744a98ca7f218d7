package brig.gateway.app;

import brig.gateway.spawn.Logs;
import brig.gateway.store.FileStreamArchive;
import brig.gateway.stream.StreamLog;
import brig.protocol.Fields;
import brig.protocol.Json;
import java.nio.file.Path;
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
        return archive.open().thenCompose(lastSeq -> archive.read(Math.max(lastSeq, 1), 1).thenApply(last ->
                new Reopened(new StreamLog(epoch, lastSeq, archive, environment), isEnd(last.lines()))));
    }

    private static boolean isEnd(byte[] frame) {
        if (frame.length == 0) {
            return false;
        }
        Fields last = new Fields(Json.parseObject(frame, 0, frame.length - 1));
        return "state".equals(last.text("type")) && "terminated".equals(last.text("state"));
    }

    private FileStreamArchive archive(String spawnId) {
        return new FileStreamArchive(streams.resolve(spawnId), bytesMax, disk, loop);
    }
}
