package brig.gateway.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The gateway's database, looked at from outside, and made slow at one place. */
record SpawnDatabase(Path file) {
    /** Rows that a held write has to count; it takes seconds. */
    private static final long ROWS = 8_000_000;

    private static final int BUSY_MS = 60_000;

    private Connection open(int busyMs) throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout=" + busyMs);
        }
        return connection;
    }

    private void run(String... statements) throws SQLException {
        try (Connection connection = open(BUSY_MS);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    /** From now on a record with that state takes long to be written. */
    void slowDown(String state) throws SQLException {
        run(
                "CREATE VIEW IF NOT EXISTS slow AS WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < "
                        + ROWS + ") SELECT i FROM n",
                "CREATE TRIGGER slow_write BEFORE INSERT ON spawns WHEN NEW.state = '" + state
                        + "' BEGIN SELECT count(*) FROM slow; END");
    }

    void goOn() throws SQLException {
        run("DROP TRIGGER IF EXISTS slow_write");
    }

    /** Waits until somebody is writing, and has been for so long that it is the slow write. */
    void awaitSlowWrite() throws IOException {
        int[] busy = new int[1];
        Await.until("a write is slow", () -> {
            busy[0] = isBusy() ? busy[0] + 1 : 0;
            return busy[0] >= 10;
        });
    }

    private boolean isBusy() {
        try (Connection connection = open(0);
                Statement statement = connection.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            statement.execute("ROLLBACK");
            return false;
        } catch (SQLException locked) {
            return true;
        }
    }

    /** One column of the spawns of a request, oldest first. */
    List<String> column(String column, String requestId) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = open(BUSY_MS);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT " + column + " FROM spawns WHERE request_id = '"
                        + requestId + "' ORDER BY created_ms, rowid")) {
            while (row.next()) {
                values.add(row.getString(1));
            }
        }
        return values;
    }
}
