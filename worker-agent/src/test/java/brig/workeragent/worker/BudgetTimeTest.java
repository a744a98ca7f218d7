package brig.workeragent.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.spawn.Budget;
import brig.workeragent.budget.Budgets;
import brig.workeragent.pump.Outbox;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BudgetTimeTest {
    private final Outbox outbox = new Outbox(100_000);
    private final FakeTimers timers = new FakeTimers();
    private final List<Long> ended = new ArrayList<>();

    private BudgetTime time(long endsAt, long wallMs) {
        return new BudgetTime(
                new Budgets.Terms(endsAt, wallMs, Budget.OnLimit.REFUSE, Budget.NONE),
                timers,
                new WorkerFrames("spn_1", outbox, timers),
                () -> ended.add(timers.nowMs()));
    }

    @Test
    void shouldTellOfEachStepAndEndAtTheLast() throws Exception {
        long end = timers.nowMs() + 10_000;
        time(end, 10_000).start();
        FrameTail tail = new FrameTail(outbox);
        timers.advance(5_000);
        assertEquals("{type=budget, percent=50}", shape(tail.next()));
        timers.advance(3_000);
        assertEquals("{type=budget, percent=80}", shape(tail.next()));
        assertEquals(List.of(), ended);
        timers.advance(1_999);
        assertEquals(List.of(), ended);
        timers.advance(1);
        assertEquals("{type=budget, percent=100}", shape(tail.next()));
        assertEquals(List.of(end), ended);
        assertEquals(0, timers.waiting());
    }

    private static String shape(String frame) {
        return frame.replaceAll("^(\\{type=budget, percent=\\d+),.*$", "$1}");
    }

    /** Scenario: the time of the session above was over while this one was started. */
    @Test
    void shouldEndAtOnceWhereTheTimeIsOver() {
        time(timers.nowMs() - 1, 500).start();
        timers.advance(0);
        assertEquals(1, ended.size());
    }

    @Test
    void shouldRunWithoutAnEndWhereNoTimeIsGiven() {
        time(0, 0).start();
        assertEquals(0, timers.waiting());
    }

    @Test
    void shouldTellNothingOnceItIsStopped() {
        BudgetTime time = time(timers.nowMs() + 10_000, 10_000);
        time.start();
        timers.advance(5_000);
        time.stop();
        timers.advance(10_000);
        assertEquals(List.of(), ended);
        assertEquals(1, outbox.lastSeq());
    }
}
