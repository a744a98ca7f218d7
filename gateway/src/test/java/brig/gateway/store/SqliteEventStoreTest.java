package brig.gateway.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.telemetry.Counters;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteEventStoreTest {
    @TempDir
    private Path folder;

    private Database open() {
        return new Database(folder.resolve("brig.db"), Runnable::run, new Counters(System::nanoTime));
    }

    private static EventRecord event(long seq) {
        return new EventRecord("00000000", seq, "spn_1", seq % 2 == 0 ? "" : "ses_1", "{\"seq\":" + seq + "}");
    }

    private static <T> T await(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }

    @Test
    void shouldHoldWhatWasAddedWhenItIsOpenedAgain() {
        Database before = open();
        await(new SqliteEventStore(before).add(event(1), 1));
        await(new SqliteEventStore(before).add(event(2), 1));
        before.close();
        Database after = open();
        assertEquals(List.of(event(1), event(2)), await(new SqliteEventStore(after).load()));
        after.close();
    }

    @Test
    void shouldForgetWhatIsOldEnough() {
        Database database = open();
        SqliteEventStore store = new SqliteEventStore(database);
        for (int seq = 1; seq <= 5; seq++) {
            await(store.add(event(seq), Math.max(1, seq - 2)));
        }
        assertEquals(List.of(event(3), event(4), event(5)), await(store.load()));
        database.close();
    }

    @Test
    void shouldRefuseANumberThatIsTaken() {
        Database database = open();
        SqliteEventStore store = new SqliteEventStore(database);
        await(store.add(event(1), 1));
        assertTrue(store.add(event(1), 1)
                .toCompletableFuture()
                .handle((done, failure) -> failure != null)
                .join());
        assertEquals(1, await(store.load()).size());
        database.close();
    }
}
