package brig.gateway.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.telemetry.Counters;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
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
        return new SqliteSpawnStore(new Database(file(), loop, new Counters(System::nanoTime)));
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
                assertEquals(
                        "rw-------",
                        PosixFilePermissions.toString(Files.getPosixFilePermissions(each)),
                        each::toString);
            }
        }
        store.close();
    }

    @Test
    void shouldNameTheFileWhenItIsNoDatabase() throws IOException {
        Files.writeString(
                file(), "this is a text, and long enough to be taken for the header of a database".repeat(20));
        BrigException refusal = assertThrows(BrigException.class, () -> open(loop()));
        assertEquals(ErrorCode.RECORD_LOST, refusal.code());
        assertTrue(refusal.getMessage().contains(file().toString()), refusal::getMessage);
        assertTrue(refusal.getMessage().contains("'brig recover'"), "the way out is told");
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

    private void run(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private String query(String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    @Test
    void shouldBringATableOfBeforeThereWereVersionsToThisOne() throws SQLException {
        for (String posture : List.of("", ", posture TEXT")) {
            run(
                    "DROP TABLE IF EXISTS spawns",
                    "DROP TABLE IF EXISTS requests",
                    "DROP TABLE IF EXISTS events",
                    "DROP TABLE IF EXISTS pruned",
                    "DROP TABLE IF EXISTS schema_version",
                    "CREATE TABLE spawns (spawn_id TEXT PRIMARY KEY, task_id TEXT, epoch TEXT, request TEXT, captain TEXT,"
                            + " workspace TEXT, state TEXT, captain_hash TEXT, watcher_hash TEXT, created_ms INTEGER,"
                            + " ended_ms INTEGER, last_error TEXT" + posture + ")",
                    "INSERT INTO spawns (spawn_id, task_id, epoch, request, captain, workspace, state, captain_hash,"
                            + " watcher_hash, created_ms, ended_ms) VALUES ('a', 'task', 'epoch',"
                            + " '{\"agent_config\":{\"name\":\"shell\"}}', 'uid:0', '/w', 'RUNNING', 'c', 'w', 1, 0)");
            SpawnRecord expected = new SpawnRecord(
                    "a",
                    "task",
                    null,
                    "epoch",
                    new SpawnRecord.Origin(
                            null, "", "local", "uid:0", "shell", "{\"agent_config\":{\"name\":\"shell\"}}"),
                    new SpawnRecord.Hashes("c", "w"),
                    new SpawnRecord.Course("RUNNING", "/w", "{}", null, null, null),
                    new SpawnRecord.Times(1, 1, 1, 0));
            for (int opened = 0; opened < 2; opened++) {
                SpawnStore store = open(loop());
                assertEquals(List.of(expected), await(store.load()));
                store.close();
            }
            assertEquals("5", query("SELECT max(version) FROM schema_version"));
        }
    }

    @Test
    void shouldLetSpawnsShareASessionInADatabaseThatForbadeIt() throws SQLException {
        open(loop()).close();
        run(
                "DELETE FROM schema_version WHERE version > 4",
                "CREATE UNIQUE INDEX spawns_session ON spawns (session_id) WHERE session_id IS NOT NULL");
        SpawnStore store = open(loop());
        await(store.save(record("spn_1", 1)));
        store.close();
        assertNull(query("SELECT name FROM sqlite_schema WHERE name = 'spawns_session'"));
    }

    @Test
    void shouldChangeNothingWhenAMigrationFails() throws SQLException {
        run("CREATE TABLE requests (other TEXT)");
        BrigException refusal = assertThrows(BrigException.class, () -> open(loop()));
        assertTrue(refusal.getMessage().contains("requests"), refusal::getMessage);
        assertEquals("1", query("SELECT max(version) FROM schema_version"), "the step before is done");
        assertNull(query("SELECT name FROM pragma_table_info('spawns') WHERE name = 'session_id'"), "this one is not");
    }

    @Test
    void shouldOnlyReadAndSaySoWhenTheSchemaIsNewer() throws SQLException {
        SpawnStore before = open(loop());
        await(before.begin(record("spn_1", 1), request("p", "id", "spn_1", 1)));
        before.close();
        run("ALTER TABLE spawns ADD COLUMN mood TEXT DEFAULT 'good'", "INSERT INTO schema_version VALUES (6)");

        Database database = new Database(file(), loop(), new Counters(System::nanoTime));
        assertTrue(database.isReadOnly());
        SpawnStore store = new SqliteSpawnStore(database);
        assertEquals(List.of(), await(new SqliteEventStore(database).load()));
        assertEquals(List.of(record("spn_1", 1)), await(store.load()));
        assertTrue(await(store.find(request("p", "id", "", 0).key())).isPresent());
        for (CompletionStage<Void> written : List.of(
                store.save(record("spn_2", 2)),
                store.begin(record("spn_2", 2), request("p", "other", "spn_2", 2)),
                store.answer(request("p", "id", "", 0).key(), "{}"),
                store.forget(request("p", "id", "", 0).key()),
                store.forgetBefore(9),
                new SqliteEventStore(database).add(new EventRecord("e", 1, "spn_1", "", "{}"), 1))) {
            BrigException refusal =
                    (BrigException) written.toCompletableFuture().exceptionNow();
            assertEquals(ErrorCode.RECORD_LOST, refusal.code());
            assertTrue(refusal.getMessage().contains("schema version 6, this Brig knows 5"), refusal::getMessage);
        }
        store.close();
        assertEquals("1", query("SELECT count(*) FROM spawns"));
        assertEquals("6", query("SELECT max(version) FROM schema_version"));
    }

    private static boolean bound(Connection connection, int pages) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute("PRAGMA max_page_count = " + pages);
        }
    }

    @Test
    void shouldSayThatTheDiskIsFullAndGoOnWhenItIsNotAnyMore() {
        // SQLite undoes the whole transaction by itself then, and refuses to undo it again.
        Database database = new Database(file(), loop(), new Counters(System::nanoTime));
        List<Throwable> failed = new ArrayList<>();
        database.watch(failed::add);
        SpawnStore store = new SqliteSpawnStore(database);
        await(store.save(record("spn_1", 1)));
        await(database.read(connection -> bound(connection, 1)));
        List<CompletionStage<Void>> saved = new ArrayList<>();
        for (int i = 2; i < 100; i++) {
            saved.add(store.save(record("spn_" + i, i)));
        }
        saved.forEach(one ->
                one.toCompletableFuture().handle((done, failure) -> failure).join());
        BrigException refusal = (BrigException) saved.stream()
                .map(CompletionStage::toCompletableFuture)
                .filter(CompletableFuture::isCompletedExceptionally)
                .findFirst()
                .orElseThrow()
                .exceptionNow();
        assertEquals(ErrorCode.RECORD_LOST, refusal.code());
        assertTrue(refusal.getMessage().contains("full"), refusal::getMessage);
        assertTrue(failed.size() > 0);
        await(database.read(connection -> bound(connection, 1_000_000)));
        await(store.save(record("spn_100", 100)));
        await(database.touch());
        store.close();
    }

    @Test
    void shouldLeaveColumnsAloneThatItDoesNotKnow() throws SQLException {
        SpawnStore store = open(loop());
        await(store.save(record("spn_1", 1)));
        run("ALTER TABLE spawns ADD COLUMN mood TEXT", "UPDATE spawns SET mood = 'good'");
        await(store.save(record("spn_1", 2)));
        store.close();
        assertEquals("good 2", query("SELECT mood || ' ' || created_ms FROM spawns"));
    }

    @Test
    void shouldCommitWhatWaitsInOneTransaction() throws Exception {
        // Scenario: another process holds the lock; what is asked for meanwhile waits, and is committed together.
        AtomicInteger groups = new AtomicInteger();
        SpawnStore store = open(task -> {
            groups.incrementAndGet();
            task.run();
        });
        List<CompletionStage<Void>> saved = new ArrayList<>();
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            for (int i = 0; i < 100; i++) {
                saved.add(store.save(record("spn_" + i, i)));
            }
            assertEquals(
                    0,
                    saved.stream()
                            .filter(one -> one.toCompletableFuture().isDone())
                            .count());
            statement.execute("COMMIT");
        }
        saved.forEach(this::await);
        assertEquals("100", query("SELECT count(*) FROM spawns"));
        assertTrue(groups.get() <= 2, () -> "the first waited alone or not, and then all others: " + groups);
        store.close();
    }

    @Test
    void shouldKeepTheNeighboursWhenOneOfAGroupFails() throws SQLException {
        SpawnStore store = open(loop());
        await(store.save(record("spn_0", 0)));
        run("CREATE TRIGGER refuse BEFORE INSERT ON spawns WHEN NEW.spawn_id = 'spn_2'"
                + " BEGIN SELECT RAISE(ABORT, 'not this one'); END");
        List<CompletionStage<Void>> saved = new ArrayList<>();
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            for (int i = 1; i <= 3; i++) {
                saved.add(store.save(record("spn_" + i, i)));
            }
            statement.execute("COMMIT");
        }
        assertEquals(
                List.of(0L, 1L, 3L),
                await(store.load()).stream()
                        .map(each -> each.times().createdMs())
                        .toList());
        assertTrue(
                saved.get(1).toCompletableFuture().exceptionNow().getMessage().contains("not this one"));
        store.close();
    }
}
