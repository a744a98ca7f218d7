package brig.gateway.retention;

import brig.protocol.Ids;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The folders of recorded streams, one per spawn. Accessed on a thread of their own. */
public final class StreamFolders {
    private static final Logger log = LoggerFactory.getLogger(StreamFolders.class);

    private final Path streams;
    private final Executor thread;
    private final Executor loop;

    /**
     * @param thread one that nothing waits for: walking thousands of folders takes time
     * @param loop the event loop, which gets the results
     */
    public StreamFolders(Path streams, Executor thread, Executor loop) {
        this.streams = streams;
        this.thread = thread;
        this.loop = loop;
    }

    /** The size in bytes by spawn_id. Concurrent changes may or may not be counted. */
    CompletionStage<Map<String, Long>> sizes() {
        return onThread(() -> {
            Map<String, Long> sizes = new HashMap<>();
            try (DirectoryStream<Path> folders = Files.newDirectoryStream(streams)) {
                for (Path folder : folders) {
                    String name = String.valueOf(folder.getFileName());
                    if (Ids.isSpawnId(name) && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                        sizes.put(name, size(folder));
                    }
                }
            }
            return sizes;
        });
    }

    private static long size(Path folder) throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                bytes += Files.size(file);
            }
        } catch (NoSuchFileException deletedMeanwhile) {
            return bytes;
        }
        return bytes;
    }

    /** Deletes the folders. @return the deleted ones; failures are logged */
    CompletionStage<List<String>> delete(List<String> spawnIds) {
        return onThread(() -> {
            List<String> gone = new ArrayList<>();
            for (String id : spawnIds) {
                try {
                    delete(streams.resolve(id));
                    gone.add(id);
                } catch (IOException e) {
                    log.warn(
                            "the stream {} cannot be deleted, and is tried again at the next start: {}",
                            id,
                            e.toString());
                }
            }
            return gone;
        });
    }

    private static void delete(Path folder) throws IOException {
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    Files.deleteIfExists(file);
                }
            }
        }
        Files.deleteIfExists(folder);
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    private <T> CompletionStage<T> onThread(Work<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        thread.execute(() -> {
            try {
                T value = work.run();
                loop.execute(() -> result.complete(value));
            } catch (IOException | RuntimeException e) {
                loop.execute(() -> result.completeExceptionally(e));
            }
        });
        return result;
    }
}
