package brig.gateway.store;

import brig.gateway.stream.GapReason;
import brig.gateway.stream.StreamArchive;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A stream as files {@code <first seq, 20 digits>.ndjson} in a folder of its own, each continuing the one before. When
 * their total exceeds the limit, the oldest is deleted. A file whose writing failed keeps its whole lines and the next
 * frames begin a new file, so a gap in the record is a gap between files. Beside each are its {@link Checksums}:
 * damaged data is not returned.
 *
 * <p>Owned by the disk's thread unless noted otherwise. Results are delivered on the event loop.
 *
 * <p>Decision 0006.
 */
public final class FileStreamArchive implements StreamArchive {
    private static final int FILES_PER_ARCHIVE = 8;
    private static final Pattern FILE_NAME = Pattern.compile("\\d{20}\\.ndjson");
    private static final String SUFFIX = ".ndjson";
    /** An empty marker file: older files were deleted. */
    private static final String EVICTED = "evicted";

    private final Path folder;
    private final long bytesMax;
    private final Executor disk;
    private final Executor loop;
    private final TreeMap<Long, LineFile> files = new TreeMap<>();
    private @Nullable FileChannel writing;
    private @Nullable Checksums sums;
    /** Whether frames were deleted to keep the limit; frames missing before the oldest file are then not lost. */
    private boolean evicted;
    /** The number of the next frame, if it follows the newest file. */
    private long nextSeq = 1;
    /** Written on the disk's thread, read on the event loop. */
    private volatile long firstSeq = Long.MAX_VALUE;

    /**
     * @param disk the thread that all archives share; it runs tasks in order
     * @param loop the event loop
     */
    public FileStreamArchive(Path folder, long bytesMax, Executor disk, Executor loop) {
        this.folder = folder;
        this.bytesMax = bytesMax;
        this.disk = disk;
        this.loop = loop;
    }

    /**
     * Opens the files of an earlier process and truncates an unfinished line.
     *
     * @return the number of the newest stored frame, 0 for none
     */
    public CompletionStage<Long> open() {
        return onDisk(() -> {
            find();
            return recover();
        });
    }

    /** The same, after it deleted the files behind the first gap. */
    public CompletionStage<Long> openToGap() {
        return onDisk(() -> {
            find();
            long next = evicted ? firstSeq : 1;
            for (Map.Entry<Long, LineFile> file : List.copyOf(files.entrySet())) {
                if (file.getKey() == next) {
                    next = file.getValue().recover();
                } else {
                    delete(file.getValue());
                    files.remove(file.getKey());
                }
            }
            return recover();
        });
    }

    private void find() throws IOException {
        if (Files.isDirectory(folder)) {
            try (Stream<Path> found = Files.list(folder)) {
                List<Path> sorted = found.filter(file ->
                                FILE_NAME.matcher(file.getFileName().toString()).matches())
                        .sorted()
                        .toList();
                for (Path file : sorted) {
                    String name = file.getFileName().toString();
                    long first = Long.parseLong(name.substring(0, name.length() - SUFFIX.length()));
                    files.put(first, LineFile.found(file, first));
                }
            }
        }
        if (!files.isEmpty()) {
            Path oldest = files.firstEntry().getValue().path();
            evicted = Files.exists(folder.resolve(EVICTED)) || !Files.exists(Checksums.beside(oldest));
        }
        noteFirst();
    }

    private long recover() throws IOException {
        if (!files.isEmpty()) {
            nextSeq = files.lastEntry().getValue().recover();
        }
        noteFirst();
        return nextSeq - 1;
    }

    @Override
    public CompletionStage<Void> append(long first, long last, ByteBuf lines) {
        return onDisk(() -> {
                    try {
                        write(first, last, lines);
                        return last;
                    } catch (IOException e) {
                        abandonFile();
                        throw e;
                    } finally {
                        lines.release();
                    }
                })
                .thenAccept(stored -> {});
    }

    private void write(long first, long last, ByteBuf lines) throws IOException {
        FileChannel channel = writing;
        if (channel == null
                || first != nextSeq
                || files.lastEntry().getValue().bytes() >= bytesMax / FILES_PER_ARCHIVE) {
            channel = nextFile(first);
        }
        LineFile file = files.lastEntry().getValue();
        long before = file.bytes();
        ByteBuffer[] pieces = lines.nioBuffers();
        ByteBuffer entries = Checksums.entries(pieces, before, last);
        ByteBuffer end = pieces[pieces.length - 1];
        while (end.hasRemaining()) {
            channel.write(pieces);
        }
        long entry = 0;
        if (sums != null) {
            entry = sums.length();
            sums.add(entries);
        }
        file.appended(first, before, lines.readableBytes(), entry);
        nextSeq = last + 1;
    }

    private FileChannel nextFile(long first) throws IOException {
        closeFile();
        Files.createDirectories(folder);
        Path path = folder.resolve("%020d%s".formatted(first, SUFFIX));
        sums = Checksums.create(path);
        FileChannel channel = FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        writing = channel;
        files.put(first, LineFile.created(path, first));
        long kept = files.values().stream().mapToLong(LineFile::bytes).sum();
        while (files.size() > 1 && kept > bytesMax - bytesMax / FILES_PER_ARCHIVE) {
            LineFile oldest = files.pollFirstEntry().getValue();
            kept -= oldest.bytes();
            noteEvicted();
            delete(oldest);
        }
        noteFirst();
        return channel;
    }

    private void noteEvicted() throws IOException {
        if (!evicted) {
            Files.write(folder.resolve(EVICTED), new byte[0]);
            evicted = true;
        }
    }

    private static void delete(LineFile file) throws IOException {
        Files.deleteIfExists(file.path());
        Files.deleteIfExists(Checksums.beside(file.path()));
    }

    /** After a failed write: truncates the partial line and begins a new file with the next frames. */
    private void abandonFile() {
        FileChannel channel = writing;
        if (channel == null) {
            return;
        }
        Checksums beside = sums;
        writing = null;
        sums = null;
        LineFile newest = files.lastEntry().getValue();
        try (channel;
                beside) {
            channel.truncate(newest.bytes());
            if (beside != null) {
                beside.cut();
            }
            if (newest.bytes() == 0) {
                delete(newest);
                files.pollLastEntry();
            }
        } catch (IOException e) {
            // Truncating failed too: forget the file; its whole lines can be read after a restart.
            files.pollLastEntry();
        }
        noteFirst();
    }

    private void closeFile() throws IOException {
        FileChannel channel = writing;
        Checksums beside = sums;
        writing = null;
        sums = null;
        if (beside != null) {
            beside.close();
        }
        if (channel != null) {
            channel.close();
        }
    }

    private void noteFirst() {
        firstSeq = files.isEmpty() ? Long.MAX_VALUE : files.firstKey();
    }

    @Override
    public CompletionStage<Stored> read(long fromSeq, int wantedBytes) {
        return onDisk(() -> {
            Map.Entry<Long, LineFile> at = files.floorEntry(fromSeq);
            GapReason missing = at == null && evicted ? GapReason.EVICTED : GapReason.RECORD_LOST;
            if (at == null) {
                at = files.higherEntry(fromSeq);
            }
            for (; at != null; at = files.higherEntry(at.getKey())) {
                try {
                    LineFile.Piece piece = at.getValue().read(Math.max(fromSeq, at.getKey()), wantedBytes);
                    missing = piece.isDamaged() ? GapReason.RECORD_DAMAGED : missing;
                    if (piece.lines().length > 0) {
                        return new Stored(piece.firstSeq(), piece.lines(), missing);
                    }
                } catch (IOException e) {
                    // It was deleted, or the disk is broken there; later files may be readable.
                    missing = GapReason.RECORD_LOST;
                }
            }
            return new Stored(fromSeq, new byte[0], missing);
        });
    }

    @Override
    public long firstSeq() {
        return firstSeq;
    }

    @Override
    public CompletionStage<Void> close() {
        return onDisk(() -> {
                    closeFile();
                    return nextSeq;
                })
                .thenAccept(closed -> {});
    }

    private interface DiskTask<T> {
        T run() throws IOException;
    }

    private <T> CompletableFuture<T> onDisk(DiskTask<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        disk.execute(() -> {
            try {
                T value = task.run();
                loop.execute(() -> result.complete(value));
            } catch (IOException | RuntimeException e) {
                loop.execute(() -> result.completeExceptionally(e));
            }
        });
        return result;
    }
}
