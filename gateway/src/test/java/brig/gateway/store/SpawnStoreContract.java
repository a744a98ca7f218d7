package brig.gateway.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.stream.Loop;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
        return record(
                spawnId, null, SpawnRecord.Course.requested("{}"), new SpawnRecord.Times(createdMs, 0, createdMs, 0));
    }

    private static SpawnRecord record(
            String spawnId, String sessionId, SpawnRecord.Course course, SpawnRecord.Times times) {
        return new SpawnRecord(
                spawnId,
                "task-" + spawnId,
                sessionId,
                "4h2k9x0c",
                new SpawnRecord.Origin(
                        "8e03978e-40d5-43dd-bc93-6894a57f9324",
                        "web/shop",
                        "local",
                        "uid:1000",
                        "shell",
                        "{\"agent_config\":{\"name\":\"shell\"}}"),
                new SpawnRecord.Hashes("aa", "bb"),
                course,
                times);
    }

    private static SpawnRecord ended(SpawnRecord record) {
        long createdMs = record.times().createdMs();
        return record(
                record.spawnId(),
                "ses_" + record.spawnId(),
                new SpawnRecord.Course(
                        "FAILED",
                        "/w/é'; DROP TABLE spawns; --",
                        "{\"worker_id\":\"x\"}",
                        "{\"limits\":\"cgroup1\"}",
                        "{\"exit_code\":1}",
                        "INTERNAL: it's over\n"),
                new SpawnRecord.Times(createdMs, createdMs + 1, createdMs + 5, createdMs + 5));
    }

    static RequestRecord request(String project, String requestId, String spawnId, long createdMs) {
        return new RequestRecord(
                new RequestRecord.Key("local", project, requestId), "finger", spawnId, createdMs, null);
    }

    private static Throwable failure(CompletionStage<?> answer) {
        return answer.toCompletableFuture().exceptionNow();
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
        assertEquals(
                List.of(10L, 20L, 30L),
                await(store.load()).stream()
                        .map(record -> record.times().createdMs())
                        .toList());
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
        assertEquals(
                List.of(46L, 47L, 48L, 49L, 50L),
                await(loaded).stream().map(record -> record.times().createdMs()).toList());
        assertEquals(true, last.toCompletableFuture().isDone());
        store.close();
    }

    @Test
    void shouldKeepEveryTransitionOfSpawnsThatGoOnWithOneSession() {
        SpawnStore store = open(loop());
        SpawnRecord first = ended(record("spn_1", 1));
        await(store.save(first));
        SpawnRecord second =
                record("spn_2", "ses_spn_1", SpawnRecord.Course.requested("{}"), new SpawnRecord.Times(2, 0, 2, 0));
        await(store.save(second));
        assertEquals(List.of(first, second), await(store.load()));
        store.close();
    }

    @Test
    void shouldWriteARequestAndItsSpawnTogetherOrNeither() {
        SpawnStore store = open(loop());
        RequestRecord request = request("p", "id", "spn_1", 5);
        await(store.begin(record("spn_1", 5), request));
        assertEquals(Optional.of(request), await(store.find(request.key())));
        CompletionStage<Void> second = store.begin(record("spn_2", 6), request("p", "id", "spn_2", 6));
        assertEquals(List.of(record("spn_1", 5)), await(store.load()));
        BrigException conflict = (BrigException) failure(second);
        assertEquals(ErrorCode.IDEMPOTENCY_CONFLICT, conflict.code());
        assertEquals(409, conflict.httpStatus());
        assertEquals(Optional.of(request), await(store.find(request.key())));
        store.close();
    }

    @Test
    void shouldLetOneOfManyEqualRequestsBeginWhenNobodyWaits() {
        SpawnStore store = open(loop());
        List<CompletionStage<Void>> begun = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            begun.add(store.begin(record("spn_" + i, i), request("p", "id", "spn_" + i, i)));
        }
        assertEquals(
                List.of("spn_0"),
                await(store.load()).stream().map(SpawnRecord::spawnId).toList());
        assertEquals(
                1,
                begun.stream()
                        .filter(one -> !one.toCompletableFuture().isCompletedExceptionally())
                        .count());
        store.close();
    }

    @Test
    void shouldKeepRequestsApartByProviderAndProject() {
        SpawnStore store = open(loop());
        RequestRecord request = request("p", "id", "spn_1", 5);
        await(store.begin(record("spn_1", 5), request));
        for (RequestRecord.Key other : List.of(
                new RequestRecord.Key("local", "q", "id"),
                new RequestRecord.Key("remote", "p", "id"),
                new RequestRecord.Key("local", "p", "other"))) {
            assertEquals(Optional.empty(), await(store.find(other)), other::toString);
        }
        await(store.begin(record("spn_2", 6), request("q", "id", "spn_2", 6)));
        store.close();
    }

    @Test
    void shouldKeepTheAnswerAndFreeTheKeyWhenToldTo() {
        SpawnStore store = open(loop());
        RequestRecord request = request("p", "id", "spn_1", 5);
        await(store.begin(record("spn_1", 5), request));
        await(store.answer(request.key(), "{\"a\":1}"));
        assertEquals("{\"a\":1}", await(store.find(request.key())).orElseThrow().answer());
        await(store.forget(request.key()));
        assertEquals(Optional.empty(), await(store.find(request.key())));
        await(store.answer(request.key(), "{}"));
        assertEquals(Optional.empty(), await(store.find(request.key())), "nothing is made by an answer");
        store.close();
    }

    @Test
    void shouldForgetOnlySpawnsThatAreOverAndNoteWhatIsToBeDeleted() {
        SpawnStore store = open(loop());
        await(store.save(ended(record("spn_2", 20))));
        await(store.save(ended(record("spn_1", 10))));
        await(store.save(record("spn_3", 5)));
        assertEquals(
                List.of(new SpawnStore.Ended("spn_1", 15), new SpawnStore.Ended("spn_2", 25)), await(store.ended()));
        assertEquals(List.of("spn_1"), await(store.prune(List.of("spn_1", "spn_3", "spn_4"))), "spn_3 is not over");
        assertEquals(
                List.of("spn_3", "spn_2"),
                await(store.load()).stream().map(SpawnRecord::spawnId).toList());
        assertEquals(List.of("spn_1"), await(store.pruned()));
        await(store.swept(List.of("spn_1", "spn_2")));
        assertEquals(List.of(), await(store.pruned()));
        store.close();
    }

    @Test
    void shouldFreeTheKeysOfOldRequests() {
        SpawnStore store = open(loop());
        for (long asked : new long[] {10, 20, 30}) {
            await(store.begin(record("spn_" + asked, asked), request("p", "id-" + asked, "spn_" + asked, asked)));
        }
        await(store.forgetBefore(20));
        assertEquals(
                Optional.empty(), await(store.find(request("p", "id-10", "", 0).key())));
        assertTrue(await(store.find(request("p", "id-20", "", 0).key())).isPresent());
        assertEquals(3, await(store.load()).size(), "the spawns stay");
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
