package brig.gateway.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database has a thread of its own, so these tests wait for it: by its answers, never by time. */
class SqliteSpawnStoreTest extends SpawnStoreContract {
    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("brig.db");
    }

    @Override
    SpawnStore open(Executor loop) {
        return new SqliteSpawnStore(file(), loop);
    }

    @Override
    Executor loop() {
        return Runnable::run;
    }

    @Override
    <T> T await(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }

    @Test
    void shouldHoldWhatWasSavedWhenItIsOpenedAgain() {
        SpawnStore before = open(loop());
        var _ = before.save(record("spn_1", 1));
        var _ = before.save(record("spn_2", 2));
        before.close();

        SpawnStore after = open(loop());
        assertEquals(List.of(record("spn_1", 1), record("spn_2", 2)), await(after.load()));
        after.close();
    }

    @Test
    void shouldHoldWhatWasSavedWhenTheProcessBeforeDidNotClose() {
        // A process that dies leaves its write-ahead log; a second connection sees what one sees after that.
        SpawnStore before = open(loop());
        await(before.save(record("spn_1", 1)));
        SpawnStore after = open(loop());
        assertEquals(List.of(record("spn_1", 1)), await(after.load()));
        after.close();
        before.close();
    }

    @Test
    void shouldBeReadableByItsOwnerOnly() throws IOException {
        SpawnStore store = open(loop());
        await(store.save(record("spn_1", 1)));
        try (var files = Files.list(folder)) {
            for (Path each : files.toList()) {
                assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(each)), each::toString);
            }
        }
        store.close();
    }

    @Test
    void shouldNameTheFileWhenItIsNoDatabase() throws IOException {
        Files.writeString(file(), "this is a text, and long enough to be taken for the header of a database".repeat(20));
        BrigException refusal = assertThrows(BrigException.class, () -> open(loop()));
        assertEquals(ErrorCode.INTERNAL, refusal.code());
        assertTrue(refusal.getMessage().contains(file().toString()), refusal::getMessage);
    }

    @Test
    void shouldFailTheCallWhenTheDatabaseIsGone() throws IOException {
        SpawnStore store = open(loop());
        Files.writeString(file(), "overwritten by somebody".repeat(400));
        CompletionStage<List<SpawnRecord>> loaded = store.load();
        CompletionStage<Void> saved = store.save(record("spn_1", 1));
        store.close();
        assertTrue(saved.toCompletableFuture().isDone());
        assertTrue(loaded.toCompletableFuture().isDone());
    }

    @Test
    void shouldAddTheColumnsWhenTheTableIsOfAnEarlierVersion() throws SQLException {
        Path file = folder.resolve("old.db");
        try (Connection old = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = old.createStatement()) {
            statement.execute("CREATE TABLE spawns (spawn_id TEXT PRIMARY KEY, task_id TEXT, epoch TEXT, request TEXT,"
                    + " captain TEXT, workspace TEXT, state TEXT, captain_hash TEXT, watcher_hash TEXT,"
                    + " created_ms INTEGER, ended_ms INTEGER, last_error TEXT)");
            statement.execute("INSERT INTO spawns VALUES"
                    + " ('a', 'task', 'epoch', '{}', 'uid:0', '/w', 'RUNNING', 'c', 'w', 1, 0, NULL)");
        }
        SpawnRecord expected = new SpawnRecord(
                "a", "task", "epoch", "{}", "uid:0", "/w", "RUNNING", "c", "w", 1, 0, null, null);
        for (int opened = 0; opened < 2; opened++) {
            SqliteSpawnStore store = new SqliteSpawnStore(file, Runnable::run);
            assertEquals(List.of(expected), store.load().toCompletableFuture().join());
            store.close();
        }
    }
}
