package brig.gateway.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.cluster.Directory.Told;
import brig.gateway.store.SpawnRecord;
import brig.protocol.json.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class DirectoryTest {
    private static final SpawnRecord SPAWN = new SpawnRecord(
            "spn_01kdvw5v09s6yx3m8q2t7n4e",
            "fix",
            null,
            "4h2k9x0c",
            new SpawnRecord.Origin(null, "", "local", "uid:1", "shell", "{}"),
            new SpawnRecord.Hashes("", ""),
            SpawnRecord.Course.requested("{\"host\":\"w1\"}"),
            new SpawnRecord.Times(1, 0, 1, 0));

    private final Table table = new Table();
    private final Directory directory = new Directory(table);

    DirectoryTest() {
        var _ = directory.open(told -> CompletableFuture.completedFuture(null));
    }

    /** Its writes have their effect when the test says so. */
    private static final class Table implements SharedTable {
        private Optional<Entry> entry = Optional.empty();
        private final List<Consumer<Entry>> watchers = new ArrayList<>();
        private final ArrayDeque<Runnable> writes = new ArrayDeque<>();
        private long revision;

        @Override
        public CompletionStage<Optional<Entry>> read(String key) {
            return CompletableFuture.completedFuture(entry);
        }

        @Override
        public CompletionStage<Long> write(String key, byte[] value, long expected) {
            CompletableFuture<Long> written = new CompletableFuture<>();
            writes.add(() -> {
                if (entry.map(Entry::revision).orElse(0L) == expected) {
                    written.complete(put(key, value));
                } else {
                    written.completeExceptionally(new StaleException("not " + expected));
                }
            });
            return written;
        }

        private long put(String key, byte[] value) {
            Entry next = new Entry(key, value, ++revision);
            entry = Optional.of(next);
            watchers.forEach(watcher -> watcher.accept(next));
            return revision;
        }

        private void writeAll() {
            while (!writes.isEmpty()) {
                writes.remove().run();
            }
        }

        @Override
        public void watch(Consumer<Entry> watcher) {
            watchers.add(watcher);
        }

        @Override
        public CompletionStage<Void> settled() {
            return CompletableFuture.completedFuture(null);
        }
    }

    private void anotherTells(long term) {
        table.put(SPAWN.spawnId(), Json.write(new Told("w1", term, SPAWN)));
    }

    private CompletableFuture<Void> tell(long term) {
        return directory.tell(new Told("w1", term, SPAWN)).toCompletableFuture();
    }

    private long term() {
        return Json.read(table.entry.orElseThrow().value(), Told.class).term();
    }

    private static void assertStale(CompletableFuture<Void> told) {
        assertTrue(told.isCompletedExceptionally());
        Throwable why = told.handle((done, failure) -> failure).join();
        assertInstanceOf(StaleException.class, why instanceof CompletionException ? why.getCause() : why);
    }

    @Test
    void shouldOverwriteWhatAnOwnerOfASmallerTermToldInTheSameMoment() {
        CompletableFuture<Void> told = tell(6);
        anotherTells(5);
        table.writeAll();
        assertFalse(told.isCompletedExceptionally());
        assertEquals(6, term());
    }

    @Test
    void shouldNotOverwriteWhatAnOwnerOfAGreaterTermToldInTheSameMoment() {
        CompletableFuture<Void> told = tell(5);
        anotherTells(6);
        table.writeAll();
        assertStale(told);
        assertEquals(6, term());
    }

    /** Scenario: an owner has two things to tell, and stands still; another one tells something; the first goes on. */
    @Test
    void shouldNotOverwriteItEitherWhenItIsKnownAlready() {
        CompletableFuture<Void> first = tell(5);
        CompletableFuture<Void> second = tell(5);
        table.writes.remove().run();
        anotherTells(6);
        table.writeAll();
        assertFalse(first.isCompletedExceptionally());
        assertStale(second);
        assertEquals(6, term());
    }
}
