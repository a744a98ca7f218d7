package brig.egress.audit;

import brig.protocol.egress.AuditLine;
import brig.protocol.json.Json;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An append-only file of JSON lines, {@code egress.jsonl}. A full file is rotated to {@code egress-TIME.jsonl}. Files
 * that are too old are deleted, and the oldest if there are too many.
 *
 * <p>Appending never waits for the disk: one thread writes. Entries that it cannot keep up with are lost, and a line
 * reports their number.
 *
 * <p>Decision 0054.
 */
public final class AuditLog implements AutoCloseable {
    /** {@code filesMax} does not count the current file. */
    public record Bounds(long fileBytesMax, int filesMax, long keepMs) {}

    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
    private static final int QUEUE_MAX = 16_384;
    static final String NAME = "egress.jsonl";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);
    /** Ends the writer; no appended entry has that time. */
    private static final AuditLine END = AuditLine.lost(-1, 0);

    private final Path folder;
    private final Bounds bounds;
    private final Clock clock;
    private final BlockingQueue<AuditLine> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
    private final AtomicLong lost = new AtomicLong();
    private final Thread writer;

    // Owned by the writer.
    private @Nullable OutputStream out;
    private long fileBytes;

    private AuditLog(Path folder, Bounds bounds, Clock clock) {
        this.folder = folder;
        this.bounds = bounds;
        this.clock = clock;
        this.writer = Thread.ofPlatform().daemon().name("brig-audit").unstarted(this::run);
    }

    public static AuditLog open(Path folder, Bounds bounds, Clock clock) throws IOException {
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        AuditLog log = new AuditLog(folder, bounds, clock);
        log.openFile();
        log.writer.start();
        return log;
    }

    /** Appends an entry. Thread-safe; never blocks. */
    public void append(AuditLine entry) {
        if (!queue.offer(entry)) {
            lost.incrementAndGet();
        }
    }

    /** Counts entries that were lost before they arrived; a line reports them with the next entry. */
    public void lose(long count) {
        lost.addAndGet(count);
    }

    private void openFile() throws IOException {
        Path file = folder.resolve(NAME);
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        fileBytes = Files.size(file);
        out = new BufferedOutputStream(Files.newOutputStream(file, StandardOpenOption.APPEND));
    }

    private void run() {
        List<AuditLine> batch = new ArrayList<>();
        try {
            while (true) {
                batch.add(queue.take());
                queue.drainTo(batch);
                boolean end = batch.removeIf(END::equals);
                write(batch);
                batch.clear();
                if (end) {
                    closeFile();
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(List<AuditLine> batch) {
        try {
            for (AuditLine entry : batch) {
                write(entry);
            }
            long count = lost.getAndSet(0);
            if (count > 0) {
                write(AuditLine.lost(clock.millis(), count));
            }
            if (out != null) {
                out.flush();
            }
        } catch (IOException e) {
            lost.addAndGet(batch.size());
            LOG.error("cannot write the audit in {}: {}", folder, e.toString());
            closeFile();
        }
    }

    private void write(AuditLine entry) throws IOException {
        byte[] line = Json.writeLine(entry);
        if (out == null) {
            openFile();
        }
        if (fileBytes > 0 && fileBytes + line.length > bounds.fileBytesMax()) {
            rotate();
        }
        if (out != null) {
            out.write(line);
            fileBytes += line.length;
        }
    }

    private void rotate() throws IOException {
        closeFile();
        List<Path> old = old();
        Files.move(folder.resolve(NAME), folder.resolve("egress-" + TIME.format(timeBehind(old)) + ".jsonl"));
        openFile();
        deleteOld(old());
    }

    /** A time after that of every earlier file, whatever the clock says, as readers sort files by name. */
    private Instant timeBehind(List<Path> old) {
        Instant now = clock.instant();
        for (Path file : old) {
            String name = String.valueOf(file.getFileName());
            try {
                Instant least = TIME.parse(name.substring("egress-".length(), name.indexOf('Z') + 1), Instant::from)
                        .plusMillis(1);
                now = least.isAfter(now) ? least : now;
            } catch (DateTimeParseException | StringIndexOutOfBoundsException notOurs) {
                LOG.debug("the name of {} has no time", file);
            }
        }
        return now;
    }

    private List<Path> old() throws IOException {
        List<Path> old = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "egress-*.jsonl")) {
            files.forEach(old::add);
        }
        old.sort(null);
        return old;
    }

    private void deleteOld(List<Path> old) throws IOException {
        for (int i = 0; i < old.size(); i++) {
            boolean tooMany = old.size() - i > bounds.filesMax();
            long ageMs = clock.millis() - Files.getLastModifiedTime(old.get(i)).toMillis();
            if (tooMany || (bounds.keepMs() > 0 && ageMs > bounds.keepMs())) {
                Files.deleteIfExists(old.get(i));
            }
        }
    }

    private void closeFile() {
        try {
            if (out != null) {
                out.close();
            }
        } catch (IOException e) {
            LOG.error("cannot close the audit in {}: {}", folder, e.toString());
        }
        out = null;
    }

    /** Returns when everything is written. */
    @Override
    public void close() {
        try {
            queue.put(END);
            writer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
