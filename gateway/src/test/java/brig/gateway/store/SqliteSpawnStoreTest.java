package brig.gateway.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class SqliteSpawnStoreTest {
    @TempDir
    Path folder;

    private static SpawnRecord record(String id, String posture) {
        return new SpawnRecord(id, "task", "epoch", "{}", "uid:0", "/w", "RUNNING", "c", "w", 1, 0, null, posture);
    }

    private List<SpawnRecord> load() {
        SqliteSpawnStore store = new SqliteSpawnStore(folder.resolve("brig.db"), Runnable::run);
        try {
            return store.load().toCompletableFuture().join();
        } finally {
            store.close();
        }
    }

    @Test
    void shouldKeepThePostureWhenTheProcessEnds() {
        SqliteSpawnStore store = new SqliteSpawnStore(folder.resolve("brig.db"), Runnable::run);
        store.save(record("a", "{\"limits\":\"cgroup1\"}")).toCompletableFuture().join();
        store.save(record("b", null)).toCompletableFuture().join();
        store.close();
        assertEquals(List.of(record("a", "{\"limits\":\"cgroup1\"}"), record("b", null)), load());
    }

    @Test
    void shouldAddTheColumnWhenTheTableIsOfAnEarlierVersion() throws SQLException {
        try (Connection old = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("brig.db"));
                Statement statement = old.createStatement()) {
            statement.execute("CREATE TABLE spawns (spawn_id TEXT PRIMARY KEY, task_id TEXT, epoch TEXT, request TEXT,"
                    + " captain TEXT, workspace TEXT, state TEXT, captain_hash TEXT, watcher_hash TEXT,"
                    + " created_ms INTEGER, ended_ms INTEGER, last_error TEXT)");
            statement.execute("INSERT INTO spawns VALUES"
                    + " ('a', 'task', 'epoch', '{}', 'uid:0', '/w', 'RUNNING', 'c', 'w', 1, 0, NULL)");
        }
        assertEquals(List.of(record("a", null)), load());
        assertEquals(List.of(record("a", null)), load());
    }
}
