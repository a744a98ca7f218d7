package brig.gateway.store;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@link SpawnStore} in a {@link Database}. */
public final class SqliteSpawnStore implements SpawnStore {
    private static final List<String> COLUMNS = List.of(
            "spawn_id",
            "task_id",
            "session_id",
            "epoch",
            "request_id",
            "project",
            "provider",
            "captain",
            "agent",
            "request",
            "captain_hash",
            "watcher_hash",
            "state",
            "workspace",
            "provider_ids",
            "posture",
            "exit",
            "last_error",
            "created_ms",
            "running_ms",
            "updated_ms",
            "ended_ms");
    private static final String SAVE = "INSERT INTO spawns (" + String.join(", ", COLUMNS) + ") VALUES ("
            + String.join(",", "?".repeat(COLUMNS.size()).split("")) + ") ON CONFLICT (spawn_id) DO UPDATE SET "
            + COLUMNS.stream()
                    .skip(1)
                    .map(column -> column + " = excluded." + column)
                    .collect(Collectors.joining(", "));
    /** All columns of a spawn, as {@link #read} expects them. */
    static final String SELECT = "SELECT " + String.join(", ", COLUMNS) + " FROM spawns";

    private static final String LOAD = SELECT + " ORDER BY created_ms, rowid";
    private static final String KEY = " WHERE provider = ? AND project = ? AND request_id = ?";

    private final Database database;

    public SqliteSpawnStore(Database database) {
        this.database = database;
    }

    @Override
    public CompletionStage<Void> save(SpawnRecord spawn) {
        return database.write(connection -> save(connection, spawn));
    }

    private static void save(Connection connection, SpawnRecord spawn) throws SQLException {
        SpawnRecord.Origin origin = spawn.origin();
        SpawnRecord.Course course = spawn.course();
        SpawnRecord.Times times = spawn.times();
        Database.execute(
                connection,
                SAVE,
                spawn.spawnId(),
                spawn.taskId(),
                spawn.sessionId(),
                spawn.epoch(),
                origin.requestId(),
                origin.project(),
                origin.provider(),
                origin.captain(),
                origin.agent(),
                origin.request(),
                spawn.hashes().captain(),
                spawn.hashes().watcher(),
                course.state(),
                course.workspace(),
                course.providerIds(),
                course.posture(),
                course.exit(),
                course.lastError(),
                times.createdMs(),
                times.runningMs(),
                times.updatedMs(),
                times.endedMs());
    }

    @Override
    public CompletionStage<Void> begin(SpawnRecord spawn, RequestRecord request) {
        return database.write(connection -> {
            RequestRecord.Key key = request.key();
            int inserted = Database.execute(
                    connection,
                    "INSERT OR IGNORE INTO requests"
                            + " (provider, project, request_id, fingerprint, spawn_id, created_ms, answer) VALUES (?,?,?,?,?,?,?)",
                    key.provider(),
                    key.project(),
                    key.requestId(),
                    request.fingerprint(),
                    request.spawnId(),
                    request.createdMs(),
                    request.answer());
            if (inserted == 0) {
                throw new BrigException(
                                ErrorCode.IDEMPOTENCY_CONFLICT,
                                "request_id " + key.requestId() + " is in flight elsewhere",
                                1)
                        .withHttpStatus(409);
            }
            save(connection, spawn);
        });
    }

    @Override
    public CompletionStage<Optional<RequestRecord>> find(RequestRecord.Key key) {
        return database.read(connection -> {
            try (PreparedStatement select = Database.prepared(
                            connection,
                            "SELECT fingerprint, spawn_id, created_ms, answer FROM requests" + KEY,
                            values(key));
                    ResultSet row = select.executeQuery()) {
                return row.next()
                        ? Optional.of(new RequestRecord(
                                key,
                                row.getString("fingerprint"),
                                row.getString("spawn_id"),
                                row.getLong("created_ms"),
                                row.getString("answer")))
                        : Optional.empty();
            }
        });
    }

    @Override
    public CompletionStage<Void> answer(RequestRecord.Key key, String answer) {
        return database.write(connection -> Database.execute(
                connection,
                "UPDATE requests SET answer = ?" + KEY,
                answer,
                key.provider(),
                key.project(),
                key.requestId()));
    }

    @Override
    public CompletionStage<Void> forget(RequestRecord.Key key) {
        return database.write(connection -> Database.execute(connection, "DELETE FROM requests" + KEY, values(key)));
    }

    @Override
    public CompletionStage<Void> forgetBefore(long createdMs) {
        return database.write(
                connection -> Database.execute(connection, "DELETE FROM requests WHERE created_ms < ?", createdMs));
    }

    @Override
    public CompletionStage<List<SpawnRecord>> load() {
        return database.read(connection -> {
            List<SpawnRecord> records = new ArrayList<>();
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(LOAD)) {
                while (row.next()) {
                    records.add(read(row));
                }
            }
            return records;
        });
    }

    @Override
    public CompletionStage<List<Ended>> ended() {
        return database.read(connection -> {
            List<Ended> ended = new ArrayList<>();
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT spawn_id, ended_ms FROM spawns WHERE ended_ms > 0 ORDER BY ended_ms, rowid")) {
                while (row.next()) {
                    ended.add(new Ended(row.getString(1), row.getLong(2)));
                }
            }
            return ended;
        });
    }

    @Override
    public CompletionStage<List<String>> prune(List<String> spawnIds) {
        return database.change(connection -> {
            List<String> gone = new ArrayList<>();
            for (String id : spawnIds) {
                if (Database.execute(connection, "DELETE FROM spawns WHERE spawn_id = ? AND ended_ms > 0", id) > 0) {
                    Database.execute(connection, "INSERT OR IGNORE INTO pruned (spawn_id) VALUES (?)", id);
                    gone.add(id);
                }
            }
            return gone;
        });
    }

    @Override
    public CompletionStage<List<String>> pruned() {
        return database.read(connection -> {
            List<String> pruned = new ArrayList<>();
            if (database.isReadOnly()) {
                return pruned;
            }
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT spawn_id FROM pruned")) {
                while (row.next()) {
                    pruned.add(row.getString(1));
                }
            }
            return pruned;
        });
    }

    @Override
    public CompletionStage<Void> swept(List<String> spawnIds) {
        return database.write(connection -> {
            for (String id : spawnIds) {
                Database.execute(connection, "DELETE FROM pruned WHERE spawn_id = ?", id);
            }
        });
    }

    static SpawnRecord read(ResultSet row) throws SQLException {
        return new SpawnRecord(
                row.getString("spawn_id"),
                row.getString("task_id"),
                row.getString("session_id"),
                row.getString("epoch"),
                new SpawnRecord.Origin(
                        row.getString("request_id"),
                        row.getString("project"),
                        row.getString("provider"),
                        row.getString("captain"),
                        row.getString("agent"),
                        row.getString("request")),
                new SpawnRecord.Hashes(row.getString("captain_hash"), row.getString("watcher_hash")),
                new SpawnRecord.Course(
                        row.getString("state"),
                        row.getString("workspace"),
                        row.getString("provider_ids"),
                        row.getString("posture"),
                        row.getString("exit"),
                        row.getString("last_error")),
                new SpawnRecord.Times(
                        row.getLong("created_ms"),
                        row.getLong("running_ms"),
                        row.getLong("updated_ms"),
                        row.getLong("ended_ms")));
    }

    @Override
    public void close() {
        database.close();
    }

    private static @Nullable Object[] values(RequestRecord.Key key) {
        return new @Nullable Object[] {key.provider(), key.project(), key.requestId()};
    }
}
