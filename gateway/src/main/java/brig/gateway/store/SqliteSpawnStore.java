package brig.gateway.store;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@link SpawnStore} in one SQLite file, written by one thread. The write-ahead log with {@code synchronous=NORMAL}
 * survives the death of the process; what the last moments before a power cut would lose, that cut has ended too.
 *
 * <p>Columns are named wherever they are read or written, and a row is changed in place, so that a column which a later
 * version added keeps what it holds.
 */
public final class SqliteSpawnStore implements SpawnStore {
    private static final Logger log = LoggerFactory.getLogger(SqliteSpawnStore.class);

    private static final List<String> COLUMNS = List.of("spawn_id", "task_id", "session_id", "epoch",
            "request_id", "project", "provider", "captain", "agent", "request", "captain_hash", "watcher_hash",
            "state", "workspace", "provider_ids", "posture", "exit", "last_error",
            "created_ms", "running_ms", "updated_ms", "ended_ms");
    private static final String SAVE = "INSERT INTO spawns (" + String.join(", ", COLUMNS) + ") VALUES ("
            + String.join(",", "?".repeat(COLUMNS.size()).split("")) + ") ON CONFLICT (spawn_id) DO UPDATE SET "
            + COLUMNS.stream().skip(1).map(column -> column + " = excluded." + column).collect(Collectors.joining(", "));
    private static final String LOAD =
            "SELECT " + String.join(", ", COLUMNS) + " FROM spawns ORDER BY created_ms, rowid";
    private static final String KEY = " WHERE provider = ? AND project = ? AND request_id = ?";

    private final Path file;
    private final int version;
    private final WriterThread writer;

    /** Opens or makes the file. @throws BrigException where it cannot be opened, naming it */
    public SqliteSpawnStore(Path file, Executor loop) {
        this.file = file;
        try {
            if (!Files.exists(file)) {
                // Made before SQLite makes it, so that it is never open to others; its companions take its mode.
                Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
            version = prepare(connection);
            writer = new WriterThread(connection, !isReadOnly(), loop);
        } catch (SQLException | IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot open the database " + file + ": " + e.getMessage());
        }
        if (isReadOnly()) {
            log.warn("{}", readOnly());
        }
    }

    private static int prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            int found = Schema.versionOf(connection);
            if (found > Schema.VERSION) {
                statement.execute("PRAGMA query_only=ON");
                return found;
            }
            statement.execute("PRAGMA journal_mode=WAL");
            statement.execute("PRAGMA synchronous=NORMAL");
        }
        Schema.migrate(connection);
        return Schema.VERSION;
    }

    /** Whether the database is of a later version of Brig, so that nothing is written to it. */
    public boolean isReadOnly() {
        return version > Schema.VERSION;
    }

    private String readOnly() {
        return "the database " + file + " has schema version " + version + ", this Brig knows " + Schema.VERSION
                + ": it is only read, and nothing can be started; use the Brig that wrote it, or another stateDir";
    }

    private interface Change {
        void run(Connection connection) throws SQLException;
    }

    private CompletionStage<Void> write(Change change) {
        if (isReadOnly()) {
            return CompletableFuture.failedFuture(new BrigException(ErrorCode.RECORD_LOST, readOnly()));
        }
        return writer.submit(connection -> {
            change.run(connection);
            return true;
        }).thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Void> save(SpawnRecord spawn) {
        return write(connection -> save(connection, spawn));
    }

    private static void save(Connection connection, SpawnRecord spawn) throws SQLException {
        SpawnRecord.Origin origin = spawn.origin();
        SpawnRecord.Course course = spawn.course();
        SpawnRecord.Times times = spawn.times();
        execute(connection, SAVE, spawn.spawnId(), spawn.taskId(), spawn.sessionId(), spawn.epoch(),
                origin.requestId(), origin.project(), origin.provider(), origin.captain(), origin.agent(), origin.request(),
                spawn.hashes().captain(), spawn.hashes().watcher(),
                course.state(), course.workspace(), course.providerIds(), course.posture(), course.exit(), course.lastError(),
                times.createdMs(), times.runningMs(), times.updatedMs(), times.endedMs());
    }

    @Override
    public CompletionStage<Void> begin(SpawnRecord spawn, RequestRecord request) {
        return write(connection -> {
            RequestRecord.Key key = request.key();
            int inserted = execute(connection, "INSERT OR IGNORE INTO requests"
                    + " (provider, project, request_id, fingerprint, spawn_id, created_ms, answer) VALUES (?,?,?,?,?,?,?)",
                    key.provider(), key.project(), key.requestId(), request.fingerprint(), request.spawnId(),
                    request.createdMs(), request.answer());
            if (inserted == 0) {
                throw new BrigException(ErrorCode.IDEMPOTENCY_CONFLICT,
                        "request_id " + key.requestId() + " is in flight elsewhere", 1).withHttpStatus(409);
            }
            save(connection, spawn);
        });
    }

    @Override
    public CompletionStage<Optional<RequestRecord>> find(RequestRecord.Key key) {
        return writer.submit(connection -> {
            try (PreparedStatement select = prepared(connection,
                    "SELECT fingerprint, spawn_id, created_ms, answer FROM requests" + KEY, values(key));
                    ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(new RequestRecord(key, row.getString("fingerprint"), row.getString("spawn_id"),
                        row.getLong("created_ms"), row.getString("answer"))) : Optional.empty();
            }
        });
    }

    @Override
    public CompletionStage<Void> answer(RequestRecord.Key key, String answer) {
        return write(connection -> execute(connection, "UPDATE requests SET answer = ?" + KEY,
                    answer, key.provider(), key.project(), key.requestId()));
    }

    @Override
    public CompletionStage<Void> forget(RequestRecord.Key key) {
        return write(connection -> execute(connection, "DELETE FROM requests" + KEY, values(key)));
    }

    @Override
    public CompletionStage<Void> forgetBefore(long createdMs) {
        return write(connection -> execute(connection, "DELETE FROM requests WHERE created_ms < ?", createdMs));
    }

    @Override
    public CompletionStage<List<SpawnRecord>> load() {
        return writer.submit(connection -> {
            List<SpawnRecord> records = new ArrayList<>();
            try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(LOAD)) {
                while (row.next()) {
                    records.add(read(row));
                }
            }
            return records;
        });
    }

    private static SpawnRecord read(ResultSet row) throws SQLException {
        return new SpawnRecord(row.getString("spawn_id"), row.getString("task_id"), row.getString("session_id"),
                row.getString("epoch"),
                new SpawnRecord.Origin(row.getString("request_id"), row.getString("project"), row.getString("provider"),
                        row.getString("captain"), row.getString("agent"), row.getString("request")),
                new SpawnRecord.Hashes(row.getString("captain_hash"), row.getString("watcher_hash")),
                new SpawnRecord.Course(row.getString("state"), row.getString("workspace"), row.getString("provider_ids"),
                        row.getString("posture"), row.getString("exit"), row.getString("last_error")),
                new SpawnRecord.Times(row.getLong("created_ms"), row.getLong("running_ms"), row.getLong("updated_ms"),
                        row.getLong("ended_ms")));
    }

    @Override
    public void close() {
        writer.close();
    }

    private static @Nullable Object[] values(RequestRecord.Key key) {
        return new @Nullable Object[] {key.provider(), key.project(), key.requestId()};
    }

    private static int execute(Connection connection, String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    private static PreparedStatement prepared(Connection connection, String sql, @Nullable Object... values)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
