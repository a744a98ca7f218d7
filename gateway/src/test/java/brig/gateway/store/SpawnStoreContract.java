package brig.gateway.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.gateway.stream.Loop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** What every {@link SpawnStore} keeps to. */
abstract class SpawnStoreContract {
    /** A store that holds what an earlier one with the same place held. */
    abstract SpawnStore open(Executor loop);

    /** Waits until the store has asked the loop to complete something, and runs that. */
    abstract <T> T await(CompletionStage<T> answer);

    static SpawnRecord record(String spawnId, long createdMs) {
        return new SpawnRecord(spawnId, "task-" + spawnId, "4h2k9x0c", "{\"agent_config\":{\"name\":\"shell\"}}",
                "uid:1000", "", "REQUESTED", "aa", "bb", createdMs, 0, null, null);
    }

    private static SpawnRecord ended(SpawnRecord record) {
        return new SpawnRecord(record.spawnId(), record.taskId(), record.epoch(), record.request(), record.captain(),
                "/w/é'; DROP TABLE spawns; --", "FAILED", record.captainHash(), record.watcherHash(),
                record.createdMs(), record.createdMs() + 5, "INTERNAL: it's over\n",
                "{\"limits\":\"cgroup1\"}");
    }

    @Test
    void shouldHoldNothingWhenItIsNew() {
        SpawnStore store = open(loop());
        assertEquals(List.of(), await(store.load()));
        store.close();
    }

    @Test
    void shouldGiveBackEveryFieldAsItWasSaved() {
        SpawnStore store = open(loop());
        SpawnRecord plain = record("spn_1", 1_767_225_600_000L);
        SpawnRecord other = ended(record("spn_2", 1_767_225_600_001L));
        await(store.save(plain));
        await(store.save(other));
        assertEquals(List.of(plain, other), await(store.load()));
        store.close();
    }

    @Test
    void shouldKeepTheLatestWhenARecordIsSavedAgain() {
        SpawnStore store = open(loop());
        SpawnRecord record = record("spn_1", 7);
        await(store.save(record));
        await(store.save(record("spn_2", 8)));
        await(store.save(ended(record)));
        assertEquals(List.of(ended(record), record("spn_2", 8)), await(store.load()));
        store.close();
    }

    @Test
    void shouldListTheOldestFirstWhateverWasSavedFirst() {
        SpawnStore store = open(loop());
        for (long created : new long[] {30, 10, 20}) {
            await(store.save(record("spn_" + created, created)));
        }
        assertEquals(List.of(10L, 20L, 30L), await(store.load()).stream().map(SpawnRecord::createdMs).toList());
        store.close();
    }

    @Test
    void shouldTakeEffectInTheOrderOfTheCallsWhenNobodyWaits() {
        SpawnStore store = open(loop());
        CompletionStage<Void> last = store.save(record("spn_0", 0));
        for (int i = 1; i <= 50; i++) {
            last = store.save(ended(record("spn_" + i % 5, i)));
        }
        CompletionStage<List<SpawnRecord>> loaded = store.load();
        assertEquals(List.of(46L, 47L, 48L, 49L, 50L),
                await(loaded).stream().map(SpawnRecord::createdMs).toList());
        assertEquals(true, last.toCompletableFuture().isDone());
        store.close();
    }

    abstract Executor loop();

    /** In memory: the loop is driven by hand. */
    static class MemorySpawnStoreTest extends SpawnStoreContract {
        private final Loop loop = new Loop();

        @Override
        SpawnStore open(Executor eventLoop) {
            return new MemorySpawnStore(eventLoop);
        }

        @Override
        Executor loop() {
            return loop;
        }

        @Override
        <T> T await(CompletionStage<T> answer) {
            loop.run();
            CompletableFuture<T> done = answer.toCompletableFuture();
            assertEquals(true, done.isDone());
            return done.join();
        }
    }
}
