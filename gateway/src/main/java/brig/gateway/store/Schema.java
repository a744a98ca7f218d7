package brig.gateway.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The schema as an append-only list of migrations: step {@code n} migrates version {@code n-1} to {@code n}. Each runs
 * in one transaction that also stores its number, so an interrupted step has no effect.
 *
 * <p>Decision 0037.
 */
final class Schema {
    /** A database that predates versions has the table of step 1, perhaps without its last column. */
    private static final List<List<String>> STEPS = List.of(
            List.of("""
                    CREATE TABLE IF NOT EXISTS spawns (
                        spawn_id TEXT PRIMARY KEY, task_id TEXT NOT NULL, epoch TEXT NOT NULL, request TEXT NOT NULL,
                        captain TEXT NOT NULL, workspace TEXT NOT NULL, state TEXT NOT NULL, captain_hash TEXT NOT NULL,
                        watcher_hash TEXT NOT NULL, created_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL,
                        last_error TEXT, posture TEXT)"""),
            List.of(
                    "ALTER TABLE spawns ADD COLUMN session_id TEXT",
                    "ALTER TABLE spawns ADD COLUMN request_id TEXT",
                    "ALTER TABLE spawns ADD COLUMN project TEXT NOT NULL DEFAULT ''",
                    "ALTER TABLE spawns ADD COLUMN provider TEXT NOT NULL DEFAULT 'local'",
                    "ALTER TABLE spawns ADD COLUMN provider_ids TEXT NOT NULL DEFAULT '{}'",
                    "ALTER TABLE spawns ADD COLUMN agent TEXT NOT NULL DEFAULT ''",
                    "ALTER TABLE spawns ADD COLUMN exit TEXT",
                    "ALTER TABLE spawns ADD COLUMN running_ms INTEGER NOT NULL DEFAULT 0",
                    "ALTER TABLE spawns ADD COLUMN updated_ms INTEGER NOT NULL DEFAULT 0",
                    "UPDATE spawns SET agent = coalesce(json_extract(request, '$.agent_config.name'), ''),"
                            + " running_ms = CASE WHEN state IN ('RUNNING', 'TERMINATED') THEN created_ms ELSE 0 END,"
                            + " updated_ms = max(created_ms, ended_ms)",
                    "CREATE UNIQUE INDEX spawns_session ON spawns (session_id) WHERE session_id IS NOT NULL",
                    """
                    CREATE TABLE requests (
                        provider TEXT NOT NULL, project TEXT NOT NULL, request_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
                        spawn_id TEXT NOT NULL, created_ms INTEGER NOT NULL, answer TEXT,
                        PRIMARY KEY (provider, project, request_id)) WITHOUT ROWID""",
                    "CREATE INDEX requests_age ON requests (created_ms)"),
            List.of("""
                    CREATE TABLE events (
                        seq INTEGER PRIMARY KEY, epoch TEXT NOT NULL, spawn_id TEXT NOT NULL, session_id TEXT NOT NULL,
                        event TEXT NOT NULL)"""),
            List.of(
                    "CREATE TABLE pruned (spawn_id TEXT PRIMARY KEY) WITHOUT ROWID",
                    "CREATE INDEX spawns_ended ON spawns (ended_ms) WHERE ended_ms > 0"),
            // An agent that continues its own session reports the same id in another spawn.
            List.of("DROP INDEX spawns_session"));

    /** The version that this program writes. */
    static final int VERSION = STEPS.size();

    private Schema() {}

    /** The version of a database, 0 for one without. */
    static int versionOf(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (!exists(statement, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'")) {
                return 0;
            }
            try (ResultSet row = statement.executeQuery("SELECT max(version) FROM schema_version")) {
                return row.getInt(1);
            }
        }
    }

    /** Migrates a database to this version. */
    static void migrate(Connection connection) throws SQLException {
        for (int version = versionOf(connection) + 1; version <= VERSION; version++) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                for (String change : STEPS.get(version - 1)) {
                    statement.execute(change);
                }
                if (version == 1) {
                    addPosture(statement);
                }
                statement.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY)");
                statement.execute("INSERT INTO schema_version (version) VALUES (" + version + ")");
                connection.commit();
            } catch (SQLException e) {
                connection.rollback();
                throw e;
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }

    private static void addPosture(Statement statement) throws SQLException {
        if (!exists(statement, "SELECT 1 FROM pragma_table_info('spawns') WHERE name = 'posture'")) {
            statement.execute("ALTER TABLE spawns ADD COLUMN posture TEXT");
        }
    }

    private static boolean exists(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            return row.next();
        }
    }
}
