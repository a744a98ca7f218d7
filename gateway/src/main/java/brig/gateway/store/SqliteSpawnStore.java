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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * {@link SpawnStore} in one SQLite file, written by one thread. The write-ahead log with {@code synchronous=NORMAL}
 * survives the death of the process; what the last moments before a power cut would lose, that cut has ended too.
 */
public final class SqliteSpawnStore implements SpawnStore {
    private static final String COLUMNS = "spawn_id, task_id, epoch, request, captain, workspace, state, captain_hash,"
            + " watcher_hash, created_ms, ended_ms, last_error, posture";
    private static final String SCHEMA = """
            CREATE TABLE IF NOT EXISTS spawns (
                spawn_id TEXT PRIMARY KEY, task_id TEXT NOT NULL, epoch TEXT NOT NULL, request TEXT NOT NULL,
                captain TEXT NOT NULL, workspace TEXT NOT NULL, state TEXT NOT NULL, captain_hash TEXT NOT NULL,
                watcher_hash TEXT NOT NULL, created_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL, last_error TEXT,
                posture TEXT)""";
    private static final String CLOSE_DEADLINE = "the database did not finish within ten seconds";

    private final ExecutorService writer =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().name("brig-store").factory());
    private final Executor loop;
    private final Connection connection;

    /** Opens or makes the file. @throws BrigException where it cannot be opened, naming it */
    public SqliteSpawnStore(Path file, Executor loop) {
        this.loop = loop;
        try {
            if (!Files.exists(file)) {
                // Made before SQLite makes it, so that it is never open to others; its companions take its mode.
                Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            connection = DriverManager.getConnection("jdbc:sqlite:" + file);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA journal_mode=WAL");
                statement.execute("PRAGMA synchronous=NORMAL");
                statement.execute(SCHEMA);
                addMissingColumns(statement);
            }
        } catch (SQLException | IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot open the database " + file + ": " + e.getMessage());
        }
    }

    /** A table of an earlier version lacks what was added since. */
    private static void addMissingColumns(Statement statement) throws SQLException {
        boolean there = false;
        try (ResultSet column = statement.executeQuery("PRAGMA table_info(spawns)")) {
            while (column.next()) {
                there |= column.getString("name").equals("posture");
            }
        }
        if (!there) {
            statement.execute("ALTER TABLE spawns ADD COLUMN posture TEXT");
        }
    }

    @Override
    public CompletionStage<Void> save(SpawnRecord spawn) {
        return onWriter(() -> {
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT OR REPLACE INTO spawns (" + COLUMNS + ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)")) {
                insert.setString(1, spawn.spawnId());
                insert.setString(2, spawn.taskId());
                insert.setString(3, spawn.epoch());
                insert.setString(4, spawn.request());
                insert.setString(5, spawn.captain());
                insert.setString(6, spawn.workspace());
                insert.setString(7, spawn.state());
                insert.setString(8, spawn.captainHash());
                insert.setString(9, spawn.watcherHash());
                insert.setLong(10, spawn.createdMs());
                insert.setLong(11, spawn.endedMs());
                insert.setString(12, spawn.lastError());
                insert.setString(13, spawn.posture());
                return insert.executeUpdate();
            }
        }).thenAccept(rows -> {});
    }

    @Override
    public CompletionStage<List<SpawnRecord>> load() {
        return onWriter(() -> {
            List<SpawnRecord> records = new ArrayList<>();
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT " + COLUMNS + " FROM spawns ORDER BY created_ms, rowid")) {
                while (row.next()) {
                    records.add(new SpawnRecord(row.getString(1), row.getString(2), row.getString(3), row.getString(4),
                            row.getString(5), row.getString(6), row.getString(7), row.getString(8), row.getString(9),
                            row.getLong(10), row.getLong(11), row.getString(12), row.getString(13)));
                }
            }
            return records;
        });
    }

    @Override
    public void close() {
        writer.shutdown();
        try {
            if (!writer.awaitTermination(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException(CLOSE_DEADLINE);
            }
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            throw new IllegalStateException("the database did not close", e);
        }
    }

    private interface Work<T> {
        T run() throws SQLException;
    }

    private <T> CompletionStage<T> onWriter(Work<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        writer.execute(() -> {
            try {
                T value = work.run();
                loop.execute(() -> result.complete(value));
            } catch (SQLException e) {
                loop.execute(() -> result.completeExceptionally(e));
            }
        });
        return result;
    }
}
