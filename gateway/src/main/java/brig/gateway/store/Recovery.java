package brig.gateway.store;

import brig.gateway.telemetry.Counters;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Limits;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rebuilds a database from the readable rows of the damaged one, and from the recorded streams without such rows. A row
 * has a spawn's names, its tokens' hashes and its request. A stream alone yields its spawn_id, its agent's session_id,
 * its times, and whether it ended. The damaged files are kept beside. No gateway may run.
 *
 * <p>Decision 0130.
 */
public final class Recovery {
    /** Tables are read from both ends, as many whole rows may follow a damaged page. */
    private static final List<String> ORDERS = List.of(" ORDER BY rowid", " ORDER BY rowid DESC");

    private static final List<String> PARTS = List.of("", "-wal", "-shm");

    private final Path database;
    private final Path streams;
    private final Predicate<String> isState;

    /**
     * The result.
     *
     * @param aside the new place of the damaged database; null if it was intact and nothing was done
     * @param kept spawns whose rows could be read
     * @param rebuilt spawns of which only the stream is left
     */
    public record Outcome(@Nullable Path aside, int kept, int rebuilt) {}

    /**
     * @param streams the folder of recorded streams
     * @param isState whether a text is the name of a spawn state
     */
    public Recovery(Path database, Path streams, Predicate<String> isState) {
        this.database = database;
        this.streams = streams;
        this.isState = isState;
    }

    /**
     * Rebuilds the database unless it is intact. @throws BrigException {@code RECORD_LOST} if the new one cannot be
     * written
     */
    public Outcome run(long nowMs) {
        if (isWhole()) {
            return new Outcome(null, 0, 0);
        }
        try {
            Map<String, SpawnRecord> records = new TreeMap<>();
            readRows(records);
            int kept = records.size();
            readStreams(records);
            Path fresh = database.resolveSibling("brig.db.new");
            delete(fresh);
            write(fresh, records);
            Path aside = database.resolveSibling("brig.db.damaged-" + nowMs);
            for (String part : PARTS) {
                move(part(database, part), part(aside, part));
            }
            Files.move(fresh, database);
            return new Outcome(aside, kept, records.size() - kept);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.RECORD_LOST, "the database cannot be rebuilt: " + e.getMessage());
        }
    }

    private boolean isWhole() {
        if (!Files.exists(database)) {
            return false;
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA integrity_check(1)")) {
            return row.next() && row.getString(1).equals("ok") && Schema.versionOf(connection) > 0;
        } catch (SQLException e) {
            return false;
        }
    }

    private void readRows(Map<String, SpawnRecord> records) {
        for (String order : ORDERS) {
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(SqliteSpawnStore.SELECT + order)) {
                while (row.next()) {
                    SpawnRecord record = SqliteSpawnStore.read(row);
                    if (isUsable(record)) {
                        records.putIfAbsent(record.spawnId(), record);
                    }
                }
            } catch (SQLException e) {
                // Keep what could be read.
            }
        }
    }

    /** Rows of a damaged file may contain anything. */
    private boolean isUsable(SpawnRecord record) {
        SpawnRecord.Course course = record.course();
        boolean complete = Stream.of(
                        record.spawnId(),
                        record.taskId(),
                        record.epoch(),
                        record.hashes().captain(),
                        record.hashes().watcher(),
                        record.origin().captain(),
                        record.origin().agent(),
                        record.origin().project(),
                        record.origin().provider(),
                        course.state(),
                        course.workspace())
                .allMatch(Objects::nonNull);
        return complete
                && Ids.isSpawnId(record.spawnId())
                && Ids.isTaskId(record.taskId())
                && isState.test(course.state())
                && isObject(record.origin().request())
                && isObject(course.providerIds())
                && (course.posture() == null || isObject(course.posture()))
                && (course.exit() == null || isObject(course.exit()));
    }

    private static boolean isObject(@Nullable String json) {
        try {
            return json != null && JsonObject.read(json.getBytes(StandardCharsets.UTF_8)) != null;
        } catch (BrigException e) {
            return false;
        }
    }

    private void readStreams(Map<String, SpawnRecord> records) throws IOException {
        if (!Files.isDirectory(streams)) {
            return;
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(streams)) {
            for (Path folder : folders) {
                String id = String.valueOf(folder.getFileName());
                if (Ids.isSpawnId(id)
                        && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                        && !records.containsKey(id)) {
                    records.put(id, ofStream(id, folder));
                }
            }
        }
    }

    /** A spawn without an end may still have its worker: the gateway adopts it, or else ends the spawn. */
    private static SpawnRecord ofStream(String id, Path folder) {
        long beginMs = 0;
        long endMs = 0;
        boolean ended = false;
        String agent = "";
        @Nullable String sessionId = null;
        for (NumberedFrame frame : ends(folder)) {
            beginMs = beginMs == 0 ? frame.ts() : beginMs;
            endMs = Math.max(endMs, frame.ts());
            if (frame.frame() instanceof Frame.Session session) {
                sessionId = session.sessionId();
                agent = session.agent() == null ? "" : session.agent();
            }
            ended = frame.frame() instanceof Frame.State state && state.isTerminated();
        }
        // Its tokens are unknown to everybody: an admin can mint others.
        SpawnRecord.Hashes hashes =
                new SpawnRecord.Hashes(Ids.hashToken(Ids.newToken()), Ids.hashToken(Ids.newToken()));
        return new SpawnRecord(
                id,
                id,
                sessionId,
                Ids.newEpoch(),
                new SpawnRecord.Origin(null, "", "local", "admin", agent, "{}"),
                hashes,
                new SpawnRecord.Course(
                        ended ? "TERMINATED" : "RUNNING", "", "{\"worker_id\":\"" + id + "\"}", null, null, null),
                new SpawnRecord.Times(beginMs, beginMs, endMs, ended ? endMs : 0));
    }

    /** Its first frames, which name the agent's session, and its last. */
    private static List<NumberedFrame> ends(Path folder) {
        FileStreamArchive archive = new FileStreamArchive(folder, Long.MAX_VALUE, Runnable::run, Runnable::run);
        List<NumberedFrame> frames = new ArrayList<>();
        try {
            long last = archive.open().toCompletableFuture().join();
            for (long from : new long[] {1, last}) {
                byte[] lines = archive.read(from, Limits.FRAME_BYTES_MAX)
                        .toCompletableFuture()
                        .join()
                        .lines();
                new String(lines, StandardCharsets.UTF_8)
                        .lines()
                        .forEach(line ->
                                frames.add(Json.read(line.getBytes(StandardCharsets.UTF_8), NumberedFrame.class)));
            }
        } catch (BrigException | CompletionException e) {
            // Of an unreadable record only the spawn's name is known.
            return frames;
        }
        return frames;
    }

    private static void write(Path fresh, Map<String, SpawnRecord> records) {
        Database made = new Database(fresh, Runnable::run, new Counters(System::nanoTime));
        SpawnStore store = new SqliteSpawnStore(made);
        try {
            records.values().stream()
                    .sorted(Comparator.comparing(record -> record.times().createdMs()))
                    .map(store::save)
                    .toList()
                    .forEach(saved -> saved.toCompletableFuture().join());
        } catch (CompletionException e) {
            throw e.getCause() instanceof BrigException refusal ? refusal : e;
        } finally {
            store.close();
        }
    }

    private static Path part(Path file, String part) {
        return file.resolveSibling(file.getFileName() + part);
    }

    private static void move(Path from, Path to) throws IOException {
        if (Files.exists(from)) {
            Files.move(from, to);
        }
    }

    private static void delete(Path file) throws IOException {
        for (String part : PARTS) {
            Files.deleteIfExists(part(file, part));
        }
    }
}
