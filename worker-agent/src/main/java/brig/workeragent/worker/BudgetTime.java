package brig.workeragent.worker;

import brig.workeragent.budget.Budgets;
import java.util.ArrayList;
import java.util.List;

/** The time of a worker's budget, which runs from its start whatever it does. Owned by the worker's sequence. */
final class BudgetTime {
    /** Parts of it that are told, in percent. */
    private static final List<Integer> STEPS = List.of(50, 80, 100);

    private final Budgets.Terms terms;
    private final Timers timers;
    private final WorkerFrames frames;
    private final Runnable over;
    private final List<Timers.Timer> steps = new ArrayList<>();

    /** @param over called when it is over */
    BudgetTime(Budgets.Terms terms, Timers timers, WorkerFrames frames, Runnable over) {
        this.terms = terms;
        this.timers = timers;
        this.frames = frames;
        this.over = over;
    }

    void start() {
        if (terms.wallMs() > 0) {
            long startedAt = terms.endsAt() - terms.wallMs();
            for (int percent : STEPS) {
                long at = startedAt + terms.wallMs() * percent / STEPS.getLast();
                steps.add(timers.schedule(Math.max(0, at - timers.nowMs()), () -> handleStep(percent, startedAt)));
            }
        }
    }

    private void handleStep(int percent, long startedAt) {
        frames.time(percent, timers.nowMs() - startedAt, terms.wallMs());
        if (percent == STEPS.getLast()) {
            over.run();
        }
    }

    void stop() {
        steps.forEach(Timers.Timer::cancel);
    }
}
