package brig.gateway.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.gateway.store.MemorySpawnStore;
import brig.gateway.store.SpawnRecord;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SharedSpawnStoreTest {
    private static final SpawnRecord REQUESTED = new SpawnRecord(
            "spn_1",
            "task",
            null,
            "e",
            new SpawnRecord.Origin(null, "", "builtin", "uid:1", "shell", "{}"),
            new SpawnRecord.Hashes("", ""),
            SpawnRecord.Course.requested("{\"worker_id\":\"spn_1\",\"host\":\"w1\"}"),
            new SpawnRecord.Times(1, 0, 1, 0));

    private final ArrayDeque<Runnable> disk = new ArrayDeque<>();
    private final MemorySpawnStore own = new MemorySpawnStore(disk::add);
    private long term = 7;
    private int written;

    private final SharedTable table = new SharedTable() {
        @Override
        public CompletionStage<Optional<Entry>> read(String key) {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public CompletionStage<Long> write(String key, byte[] value, long expected) {
            return CompletableFuture.completedFuture((long) ++written);
        }

        @Override
        public void watch(Consumer<Entry> watcher) {}

        @Override
        public CompletionStage<Void> settled() {
            return CompletableFuture.completedFuture(null);
        }
    };

    private final SharedSpawnStore store =
            new SharedSpawnStore(own, new Directory(table), table, new SharedSpawnStore.Terms() {
                @Override
                public boolean isShared(@Nullable String host) {
                    return "w1".equals(host);
                }

                @Override
                public long term(String host) {
                    return term;
                }
            });

    private void write() {
        while (!disk.isEmpty()) {
            disk.remove().run();
        }
    }

    private static ErrorCode refusal(CompletionStage<Void> saved) {
        CompletionException failure = assertThrows(
                CompletionException.class, () -> saved.toCompletableFuture().join());
        return ((BrigException) failure.getCause()).code();
    }

    @Test
    void shouldTellTheOthersOfASpawnThatBegins() {
        CompletableFuture<Void> saved = store.save(REQUESTED).toCompletableFuture();
        assertFalse(saved.isDone());
        write();
        saved.join();
        assertEquals(1, written);
    }

    @Test
    void shouldRefuseASpawnWhenItIsNotTheOwner() {
        term = 0;
        assertEquals(ErrorCode.HOST_UNREACHABLE, refusal(store.save(REQUESTED)));
        assertEquals(List.of(), own.saved());
    }

    @Test
    void shouldRefuseASpawnWhenItIsNotTheOwnerAnyMoreWhileItWrites() {
        CompletionStage<Void> saved = store.save(REQUESTED);
        term = 0;
        write();
        assertEquals(ErrorCode.HOST_UNREACHABLE, refusal(saved));
        assertEquals(0, written);
    }
}
