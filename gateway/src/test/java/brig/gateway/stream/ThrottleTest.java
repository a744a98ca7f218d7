package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ThrottleTest {
    private final Bench bench = new Bench().record();
    private final RecordingSink captain = new RecordingSink();
    private final RecordingSink watcher = new RecordingSink();

    /** A captain stops until the worker waits for it. */
    private void hold() {
        captain.allow(0);
        bench.stream(2 * Bench.WINDOW);
        assertTrue(bench.paused);
    }

    private Subscription read() {
        bench.read(1, false, watcher);
        return bench.read(1, true, captain);
    }

    private void letGo(Subscription reader) {
        captain.allow(Long.MAX_VALUE);
        reader.drain();
        bench.settle();
        assertFalse(bench.paused);
    }

    private void pass(long ms) {
        bench.timers.pass(ms);
        bench.settle();
    }

    private static List<String> states(RecordingSink sink) {
        return sink.story().stream()
                .filter(word -> word.equals("throttled") || word.equals("running"))
                .toList();
    }

    @Test
    void shouldTellWatcherWhileWorkerIsHeldBack() {
        read();
        hold();
        pass(Throttle.LASTS_MS - 1);
        assertEquals(List.of(), states(watcher));
        pass(1);
        assertTrue(bench.log.isThrottled());
        assertEquals(List.of("throttled"), states(watcher));
        assertTrue(watcher.flushes() > 0);
        assertEquals(List.of(), states(captain), "its connection takes nothing");
    }

    @Test
    void shouldTellEverybodyWhenWorkerGoesOn() {
        Subscription reader = read();
        hold();
        pass(Throttle.LASTS_MS);
        letGo(reader);
        assertEquals(List.of("throttled"), states(captain), "it is told where it has room again");
        pass(Throttle.LASTS_MS);
        assertEquals(List.of("throttled", "running"), states(watcher));
        assertEquals(List.of("throttled", "running"), states(captain));
    }

    @Test
    void shouldSayNothingWhenPauseIsShort() {
        Subscription reader = read();
        for (int i = 0; i < 10; i++) {
            hold();
            pass(Throttle.LASTS_MS - 1);
            letGo(reader);
        }
        pass(10 * Throttle.LASTS_MS);
        assertEquals(List.of(), states(watcher));
    }

    @Test
    void shouldNotFlapWhenWorkerIsLetGoForAMoment() {
        Subscription reader = read();
        hold();
        pass(Throttle.LASTS_MS);
        for (int i = 0; i < 10; i++) {
            letGo(reader);
            pass(Throttle.LASTS_MS - 1);
            hold();
            pass(10 * Throttle.LASTS_MS);
        }
        assertEquals(List.of("throttled"), states(watcher));
    }

    @Test
    void shouldTellReaderThatComesMeanwhile() {
        read();
        hold();
        pass(Throttle.LASTS_MS);
        RecordingSink late = bench.reader(bench.log.lastSeq() + 1, false);
        assertEquals(List.of("throttled"), late.story());
    }

    @Test
    void shouldTellOnlyHowThingsStandWhenReaderTakesNothingMeanwhile() {
        // Scenario: the worker is held back and let go again while a watcher takes nothing.
        Subscription reader = read();
        watcher.allow(0);
        hold();
        pass(Throttle.LASTS_MS);
        letGo(reader);
        pass(Throttle.LASTS_MS);
        watcher.allow(Long.MAX_VALUE);
        bench.append(bench.log.lastSeq() + 1, Frames.frame(bench.log.lastSeq() + 1));
        bench.settle();
        assertEquals(List.of(), states(watcher));
    }
}
