package brig.gateway.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.FakeTime;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Two gateways and one host, whose table answers as each test says. */
class TenureTest {
    private static final long ANSWER_MS = 2_000;
    private static final long GIVES_UP_MS = 4_000;

    /** What becomes of a write. */
    private enum Fate {
        ANSWERED,
        /** It is written, but no answer comes. */
        UNANSWERED,
        /** It does not arrive. */
        LOST
    }

    private final FakeTime time = new FakeTime();
    private SharedTable.Entry entry = new SharedTable.Entry("w1", new byte[0], 0);

    /** What one gateway sees of the table. */
    private final class End implements SharedTable {
        /** Of the next writes; then all are answered. */
        private final ArrayDeque<Fate> fates = new ArrayDeque<>();

        private boolean cut;

        @Override
        public CompletionStage<Optional<Entry>> read(String key) {
            return cut ? silence() : CompletableFuture.completedFuture(Optional.of(entry));
        }

        @Override
        public CompletionStage<Long> write(String key, byte[] value, long expected) {
            Fate fate = fates.isEmpty() ? Fate.ANSWERED : fates.remove();
            if (cut || fate == Fate.LOST) {
                return silence();
            }
            if (expected != entry.revision()) {
                return CompletableFuture.failedFuture(new StaleException("it has " + entry.revision()));
            }
            entry = new Entry(key, value, entry.revision() + 1);
            return fate == Fate.UNANSWERED ? silence() : CompletableFuture.completedFuture(entry.revision());
        }

        private <T> CompletionStage<T> silence() {
            CompletableFuture<T> silent = new CompletableFuture<>();
            time.after(ANSWER_MS, () -> silent.completeExceptionally(new IllegalStateException("no answer")));
            return silent;
        }

        @Override
        public void watch(Consumer<Entry> watcher) {
            throw new AssertionError("nobody watches owners");
        }

        @Override
        public CompletionStage<Void> settled() {
            throw new AssertionError("nobody waits for owners");
        }
    }

    private final End end = new End();
    private final Tenure first = tenure("g1", end);
    private final Tenure second = tenure("g2", new End());

    private Tenure tenure(String name, SharedTable owners) {
        return new Tenure(
                "w1",
                new Tenure.Self(name, "state of " + name),
                new Tenure.Services(owners, time, time, time, () -> 0),
                () -> true,
                new Tenure.Listener() {
                    @Override
                    public void handleTaken(long term) {}

                    @Override
                    public void handleLost() {}
                });
    }

    private void begin() {
        first.begin();
        time.pass(1);
        assertTrue(first.holds());
        second.begin();
    }

    /** @return how long the first one held the host still */
    private long passUntilTheSecondHolds() {
        long begunMs = time.nowMs();
        long heldMs = 0;
        while (!second.holds()) {
            assertTrue(time.nowMs() - begunMs < 60_000, "nobody takes it");
            time.pass(1);
            assertFalse(first.holds() && second.holds(), "both own it");
            heldMs = first.holds() ? time.nowMs() - begunMs : heldMs;
        }
        return heldMs;
    }

    @Test
    void shouldGiveTheHostUpByItsOwnClockBeforeAnotherTakesIt() {
        begin();
        end.cut = true;
        long heldMs = passUntilTheSecondHolds();
        assertTrue(heldMs < GIVES_UP_MS, heldMs + " ms");
        end.cut = false;
        time.pass(10_000);
        assertTrue(second.holds());
        assertFalse(first.holds());
    }

    @Test
    void shouldGoOnAsOwnerWhenTheAnswerToARenewalIsLost() {
        begin();
        long term = first.term();
        end.fates.add(Fate.UNANSWERED);
        time.pass(20_000);
        assertEquals(term, first.term());
    }

    /** Others count from when it was written, which may have been long ago. */
    @Test
    void shouldNotCountARenewalWhoseAnswerWasLostFromWhenItIsFound() {
        begin();
        end.fates.add(Fate.UNANSWERED);
        end.fates.add(Fate.ANSWERED);
        for (int i = 0; i < 100; i++) {
            end.fates.add(Fate.LOST);
        }
        passUntilTheSecondHolds();
    }

    @Test
    void shouldHaveAGreaterTermThanAnyBeforeAlsoWhenTheCalendarGoesBack() {
        long future = time.nowMs() / 1_000 + 1_000_000;
        entry = new SharedTable.Entry(
                "w1", brig.protocol.json.Json.write(new OwnerEntry("", "", future, false)), entry.revision() + 1);
        begin();
        assertEquals(future + 1, first.term());
    }
}
