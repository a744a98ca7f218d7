package brig.gateway.app;

import brig.gateway.spawn.Logs;
import brig.gateway.store.FileStreamArchive;
import brig.gateway.stream.StreamLog;
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
    public CompletionStage<StreamLog> reopen(String spawnId, String epoch) {
        FileStreamArchive archive = archive(spawnId);
        return archive.open().thenApply(lastSeq -> new StreamLog(epoch, lastSeq, archive, environment));
    }

    private FileStreamArchive archive(String spawnId) {
        return new FileStreamArchive(streams.resolve(spawnId), bytesMax, disk, loop);
    }
}
