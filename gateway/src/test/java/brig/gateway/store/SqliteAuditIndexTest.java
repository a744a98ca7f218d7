package brig.gateway.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.egress.AuditEntry;
import brig.protocol.egress.AuditEvent;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteAuditIndexTest {
    @TempDir
    private Path folder;

    private Path file;
    private SqliteAuditIndex index;

    @BeforeEach
    void open() {
        file = folder.resolve("audit.db");
        index = new SqliteAuditIndex(file, Runnable::run);
    }

    @AfterEach
    void close() {
        index.close();
    }

    private void reopen() {
        index.close();
        index = new SqliteAuditIndex(file, Runnable::run);
    }

    private static <T> T await(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }

    /** Entry {@code i} has the time 100 i; each fifth is blocked. */
    private static String line(int i) {
        return "{\"ts\":" + 100 * i + ",\"spawn\":\"spn_" + i % 2 + "\",\"kind\":\"request\",\"host\":\"h" + i % 3
                + ".example\",\"decision\":\"" + (i % 5 == 0 ? "blocked" : "allowed")
                + "\",\"method\":\"GET\",\"scheme\":\"https\",\"path\":\"/\",\"rule\":\"\",\"requestBytes\":" + i + "}";
    }

    private void add(int from, int to, String next, long oldestMs) {
        await(index.add(
                IntStream.range(from, to).mapToObj(SqliteAuditIndexTest::line).toList(), next, oldestMs));
    }

    private List<Long> seqs(
            List<String> workers, String host, String decision, long since, long until, long before, long after) {
        return await(index.find(workers, host, decided(decision), since, until, before, after, 3)).entries().stream()
                .map(AuditEntry::seq)
                .toList();
    }

    private static AuditEvent.@Nullable Decision decided(@Nullable String name) {
        return name == null ? null : AuditEvent.Decision.valueOf(name.toUpperCase(Locale.ROOT));
    }

    @Test
    void shouldFindWhatIsAskedForAndPageBothWays() throws IOException {
        add(1, 21, "p", 100);
        assertEquals(List.of(20L, 19L, 18L), seqs(null, null, null, 0, 0, 0, -1));
        assertEquals(List.of(17L, 16L, 15L), seqs(null, null, null, 0, 0, 18, -1));
        assertEquals(List.of(1L, 2L, 3L), seqs(null, null, null, 0, 0, 0, 0));
        assertEquals(List.of(19L, 20L), seqs(null, null, null, 0, 0, 0, 18));
        assertEquals(List.of(20L, 15L, 10L), seqs(null, null, "blocked", 0, 0, 0, -1));
        assertEquals(List.of(19L, 16L, 13L), seqs(null, "H1.EXAMPLE", null, 0, 0, 0, -1));
        assertEquals(List.of(20L, 10L), seqs(List.of("spn_0", "spn_9"), null, "blocked", 0, 0, 0, -1));
        assertEquals(List.of(), seqs(List.of(), null, null, 0, 0, 0, -1), "of no worker is not of all");
        assertEquals(List.of(6L, 5L), seqs(null, null, null, 500, 700, 0, -1));
        assertEquals(
                "{\"seq\":20,\"ts\":2000,\"spawn_id\":\"spn_0\",\"kind\":\"request\",\"decision\":\"blocked\",\"method\":\"GET\","
                        + "\"scheme\":\"https\",\"host\":\"h2.example\",\"port\":0,\"path\":\"/\",\"rule\":\"\",\"status\":0,"
                        + "\"request_bytes\":20,\"response_bytes\":0,\"secrets\":[],\"duration_ms\":0}",
                new String(
                        Json.write(await(index.find(null, null, null, 0, 0, 0, -1, 1))
                                .entries()
                                .getFirst()),
                        StandardCharsets.UTF_8),
                "an older line in the words of today");
        assertEquals(
                20, await(index.find(List.of(), null, null, 0, 0, 0, -1, 1)).lastSeq());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    private static String usage(String worker, String model, long ts, String counts) {
        return "{\"ts\":" + ts + ",\"spawn_id\":\"" + worker
                + "\",\"agent\":\"claude\",\"kind\":\"usage\",\"route\":\"r\",\"model\":\"" + model
                + "\",\"status\":200" + counts + "}";
    }

    @Test
    void shouldSumRequestsToModelsByWorkerModelAndDay() {
        long day = 86_400_000L;
        await(index.add(
                List.of(
                        line(3),
                        usage("a", "m", day, ",\"input_tokens\":10,\"output_tokens\":2,\"cost\":0.5"),
                        usage("a", "m", 2 * day - 1, ",\"input_tokens\":5,\"cached_input_tokens\":4,\"cost\":0.25"),
                        usage("a", "m", 2 * day, ",\"cache_write_input_tokens\":7"),
                        usage("b", "n", day, ",\"input_tokens\":1,\"cost\":0.0")),
                "p",
                0));
        assertEquals(
                List.of(
                        new SqliteAuditIndex.Cost("a", "claude", "m", 1, 2, 0, 15, 4, 0, 2, 0.75),
                        new SqliteAuditIndex.Cost("a", "claude", "m", 2, 1, 1, 0, 0, 7, 0, 0),
                        new SqliteAuditIndex.Cost("b", "claude", "n", 1, 1, 0, 1, 0, 0, 0, 0)),
                await(index.costs(null, 0, 0)));
        assertEquals(1, await(index.costs(List.of("b"), 0, 0)).size());
        assertEquals(1, await(index.costs(null, 2 * day, 0)).size());
        assertEquals(List.of(), await(index.costs(List.of(), 0, 0)), "of no worker is not of all");
    }

    @Test
    void shouldKeepPositionAndLinesTogetherAndForgetWhatTheFilesHaveNoMore() {
        assertEquals("", await(index.position()));
        add(1, 4, "first", 100);
        reopen();
        assertEquals("first", await(index.position()));
        add(4, 6, "second", 300);
        assertEquals(List.of(3L, 4L, 5L), seqs(null, null, null, 0, 0, 0, 0));
        await(index.add(List.of("no json", "{\"lost\":3}"), "third", 300));
        assertEquals("third", await(index.position()));
        assertEquals(List.of(6L, 5L, 4L), seqs(null, null, null, 0, 0, 0, -1), "what is no line is left out");
    }

    @Test
    void shouldBeMadeAnewWhenItIsOfAnotherVersionOrCannotBeRead() throws IOException, SQLException {
        add(1, 4, "p", 100);
        index.close();
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                var statement = other.createStatement()) {
            statement.execute("PRAGMA user_version = 99");
        }
        index = new SqliteAuditIndex(file, Runnable::run);
        assertEquals("", await(index.position()));
        index.close();
        Files.writeString(file, "this is no database ".repeat(500));
        index = new SqliteAuditIndex(file, Runnable::run);
        add(1, 4, "p", 100);
        assertEquals(List.of(3L, 2L, 1L), seqs(null, null, null, 0, 0, 0, -1));
    }
}
