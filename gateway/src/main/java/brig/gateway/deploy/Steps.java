package brig.gateway.deploy;

import brig.gateway.time.Timers;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Runs one program after the other, each with a deadline. Owned by the event loop. */
public final class Steps {
    private final Processes processes;
    private final Timers timers;
    private @Nullable One current;

    public Steps(Processes processes, Timers timers) {
        this.processes = processes;
        this.timers = timers;
    }

    /**
     * A program to run.
     *
     * @param what it is, for a person
     */
    public record Step(String what, List<String> command, long deadlineMs) {}

    /** Runs a program in place of the one before. At its deadline {@code late} is called instead of {@code then}. */
    public void run(Step step, Consumer<Processes.Ended> then, Consumer<LinkFailure> late) {
        run(step, null, sent -> {}, then, late);
    }

    /** The same with an input. The deadline begins anew whenever a part of it was taken. */
    public void run(
            Step step,
            Processes.@Nullable Input input,
            LongConsumer sent,
            Consumer<Processes.Ended> then,
            Consumer<LinkFailure> late) {
        stop();
        One one = new One(step, sent, then, late);
        current = one;
        one.setDeadline();
        one.running = processes.start(step.command(), input, one);
    }

    /** Ends the program that runs; nobody is told. */
    public void stop() {
        if (current != null) {
            current.give();
        }
    }

    private final class One implements Processes.Listener {
        private final Step step;
        private final LongConsumer sent;
        private final Consumer<Processes.Ended> then;
        private final Consumer<LinkFailure> late;
        private Processes.@Nullable Running running;
        private Timers.@Nullable Timer deadline;

        One(Step step, LongConsumer sent, Consumer<Processes.Ended> then, Consumer<LinkFailure> late) {
            this.step = step;
            this.sent = sent;
            this.then = then;
            this.late = late;
        }

        void setDeadline() {
            if (deadline != null) {
                deadline.cancel();
            }
            deadline = timers.after(step.deadlineMs(), () -> {
                give();
                late.accept(LinkFailure.late(step.what()));
            });
        }

        void give() {
            forget();
            if (running != null) {
                running.end();
            }
        }

        private void forget() {
            current = null;
            if (deadline != null) {
                deadline.cancel();
            }
        }

        @Override
        public void handleEnded(Processes.Ended ended) {
            if (current == this) {
                forget();
                then.accept(ended);
            }
        }

        @Override
        public void handleSent(long bytes) {
            if (current == this) {
                setDeadline();
                sent.accept(bytes);
            }
        }
    }
}
