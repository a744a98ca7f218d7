package brig.gateway.store;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.egress.AuditEntry;
import brig.protocol.egress.AuditEvent;
import brig.protocol.egress.AuditLine;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An index of audit lines by their queryable fields. It has its own file and thread, so that queries and updates never
 * delay spawns. It can be rebuilt from the lines, so a file of another version or an unreadable one is replaced.
 */
public final class SqliteAuditIndex {
    /** The entries found, and the newest number. */
    public record Found(List<AuditEntry> entries, long lastSeq) {}

    /**
     * Requests of one worker to one model on one day.
     *
     * @param agent the agent profile
     * @param day since 1970-01-01, in UTC
     * @param unpriced how many of the requests have no cost
     * @param cost in US dollars
     */
    public record Cost(
            String worker,
            String agent,
            String model,
            long day,
            long requests,
            long unpriced,
            long input,
            long cachedInput,
            long cacheWriteInput,
            long output,
            double cost) {}

    private static final Logger log = LoggerFactory.getLogger(SqliteAuditIndex.class);
    private static final int VERSION = 2;
    private static final List<String> TABLES = List.of(
            "CREATE TABLE position (id INTEGER PRIMARY KEY CHECK (id = 1), at TEXT NOT NULL, oldest_ms INTEGER NOT NULL)",
            "INSERT INTO position (id, at, oldest_ms) VALUES (1, '', 0)",
            """
            CREATE TABLE entries (
                seq INTEGER PRIMARY KEY AUTOINCREMENT, ts INTEGER NOT NULL, worker TEXT NOT NULL, host TEXT NOT NULL,
                decision TEXT NOT NULL, line TEXT NOT NULL)""",
            "CREATE INDEX entries_ts ON entries (ts)",
            "CREATE INDEX entries_worker ON entries (worker, seq)",
            "CREATE INDEX entries_host ON entries (host, seq)",
            "CREATE INDEX entries_decision ON entries (decision, seq)",
            "PRAGMA user_version = " + VERSION);

    /** Grouped by the first four. An older line has no cost. */
    private static final String COSTS = """
            worker, coalesce(json_extract(line, '$.agent'), ''), coalesce(json_extract(line, '$.model'), ''), ts / 86400000,
            count(*), count(*) - count(json_extract(line, '$.cost')),
            coalesce(sum(json_extract(line, '$.input_tokens')), 0),
            coalesce(sum(json_extract(line, '$.cached_input_tokens')), 0),
            coalesce(sum(json_extract(line, '$.cache_write_input_tokens')), 0),
            coalesce(sum(json_extract(line, '$.output_tokens')), 0),
            coalesce(sum(json_extract(line, '$.cost')), 0)""";

    private final WriterThread thread;

    /** Opens or creates it. @throws BrigException if it cannot be created, naming it */
    public SqliteAuditIndex(Path file, Executor loop) {
        try {
            thread = new WriterThread(open(file), true, loop);
        } catch (SQLException | IOException e) {
            throw new BrigException(
                    ErrorCode.INTERNAL, "cannot make the index of the audit " + file + ": " + e.getMessage());
        }
    }

    private static Connection open(Path file) throws SQLException, IOException {
        if (Files.exists(file)) {
            Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
            try {
                if (prepare(connection) == VERSION) {
                    return connection;
                }
                log.info("the audit index {} has another version and is rebuilt", file);
            } catch (SQLException e) {
                log.warn("the audit index {} cannot be read and is rebuilt: {}", file, e.getMessage());
            }
            connection.close();
            for (String part : List.of("", "-wal", "-shm")) {
                Files.deleteIfExists(file.resolveSibling(file.getFileName() + part));
            }
        }
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        prepare(connection);
        try (Statement statement = connection.createStatement()) {
            statement.execute("BEGIN");
            for (String table : TABLES) {
                statement.execute(table);
            }
            statement.execute("COMMIT");
        }
        return connection;
    }

    private static int prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode=WAL");
            statement.execute("PRAGMA synchronous=NORMAL");
            try (ResultSet row = statement.executeQuery("PRAGMA user_version")) {
                return row.getInt(1);
            }
        }
    }

    /** The position after the indexed lines; empty at the beginning. */
    public CompletionStage<String> position() {
        return thread.submit(connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT at FROM position")) {
                return row.getString(1);
            }
        });
    }

    /** Adds lines together with the position after them, and deletes those before the oldest. */
    public CompletionStage<Void> add(List<String> lines, String next, long oldestMs) {
        return thread.submit(connection -> {
                    try (PreparedStatement insert = connection.prepareStatement(
                            "INSERT INTO entries (ts, worker, host, decision, line) VALUES (?,?,?,?,?)")) {
                        for (String line : lines) {
                            add(insert, line);
                        }
                    }
                    Database.execute(
                            connection,
                            "DELETE FROM entries WHERE ts < ? AND ? > (SELECT oldest_ms FROM position)",
                            oldestMs,
                            oldestMs);
                    Database.execute(connection, "UPDATE position SET at = ?, oldest_ms = ?", next, oldestMs);
                    return true;
                })
                .thenAccept(done -> {});
    }

    /** An invalid line, as a crash may leave, is skipped. */
    private static void add(PreparedStatement insert, String line) throws SQLException {
        try {
            AuditLine entry = read(line);
            AuditEvent.Decision decision = entry.decision();
            insert.setLong(1, entry.ts());
            insert.setString(2, Objects.requireNonNullElse(entry.spawnId(), ""));
            insert.setString(3, entry.host().toLowerCase(Locale.ROOT));
            insert.setString(4, decision == null ? "" : decision.name().toLowerCase(Locale.ROOT));
            insert.setString(5, line);
            insert.executeUpdate();
        } catch (BrigException e) {
            log.warn("a line of the audit cannot be read: {}", e.getMessage());
        }
    }

    private static AuditLine read(String line) {
        return Json.read(line.getBytes(StandardCharsets.UTF_8), AuditLine.class);
    }

    /** Builds the SQL of a query. */
    private static final class Select {
        private final StringBuilder sql;
        private final List<Object> values = new ArrayList<>();

        Select(String columns) {
            sql = new StringBuilder("SELECT ").append(columns).append(" FROM entries WHERE 1");
        }

        void ofWorkers(@Nullable List<String> workers) {
            if (workers != null) {
                // One JSON parameter, as there may be more workers than a statement has parameters.
                and(
                        "worker IN (SELECT value FROM json_each(json_extract(?, '$.all')))",
                        new String(Json.write(Map.of("all", workers)), StandardCharsets.UTF_8));
            }
        }

        void between(long sinceMs, long untilMs) {
            if (sinceMs > 0) {
                and("ts >= ?", sinceMs);
            }
            if (untilMs > 0) {
                and("ts < ?", untilMs);
            }
        }

        void and(String condition, Object value) {
            sql.append(" AND ").append(condition);
            values.add(value);
        }
    }

    /**
     * Entries, newest first; with {@code after} oldest first.
     *
     * @param workers only of these; null for all
     * @param before only those with a lower number; 0 for all
     * @param after only those with a higher number; -1 if unused
     */
    public CompletionStage<Found> find(
            @Nullable List<String> workers,
            @Nullable String host,
            AuditEvent.@Nullable Decision decision,
            long sinceMs,
            long untilMs,
            long before,
            long after,
            int limit) {
        Select select = new Select("seq, line");
        select.ofWorkers(workers);
        select.between(sinceMs, untilMs);
        if (host != null) {
            select.and("host = ?", host.toLowerCase(Locale.ROOT));
        }
        if (decision != null) {
            select.and("decision = ?", decision.name().toLowerCase(Locale.ROOT));
        }
        if (before > 0) {
            select.and("seq < ?", before);
        }
        if (after >= 0) {
            select.and("seq > ?", after);
        }
        select.sql.append(" ORDER BY seq ").append(after >= 0 ? "ASC" : "DESC").append(" LIMIT ?");
        select.values.add(limit);
        return thread.submit(connection -> new Found(entries(connection, select), lastSeq(connection)));
    }

    /**
     * The costs of requests to models.
     *
     * @param workers only of these; null for all
     */
    public CompletionStage<List<Cost>> costs(@Nullable List<String> workers, long sinceMs, long untilMs) {
        Select select = new Select(COSTS);
        select.ofWorkers(workers);
        select.between(sinceMs, untilMs);
        select.sql.append(" AND decision = '' AND json_extract(line, '$.kind') = 'usage' GROUP BY 1, 2, 3, 4");
        return thread.submit(connection -> costs(connection, select));
    }

    private static List<Cost> costs(Connection connection, Select select) throws SQLException {
        List<Cost> found = new ArrayList<>();
        try (PreparedStatement statement =
                        Database.prepared(connection, select.sql.toString(), select.values.toArray());
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                found.add(new Cost(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        row.getLong(4),
                        row.getLong(5),
                        row.getLong(6),
                        row.getLong(7),
                        row.getLong(8),
                        row.getLong(9),
                        row.getLong(10),
                        row.getDouble(11)));
            }
        }
        return found;
    }

    private static List<AuditEntry> entries(Connection connection, Select select) throws SQLException {
        List<AuditEntry> found = new ArrayList<>();
        try (PreparedStatement statement =
                        Database.prepared(connection, select.sql.toString(), select.values.toArray());
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                found.add(new AuditEntry(row.getLong(1), read(row.getString(2))));
            }
        }
        return found;
    }

    private static long lastSeq(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT coalesce(max(seq), 0) FROM entries")) {
            return row.getLong(1);
        }
    }

    /** Completes pending work and closes. Blocks. */
    public void close() {
        thread.close();
    }
}
