package brig.gateway.host;

import brig.gateway.time.Timers;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Runs one program after the other, each with a deadline. Owned by the event loop. */
final class Steps {
    private final Processes processes;
    private final Timers timers;
    private @Nullable One current;

    Steps(Processes processes, Timers timers) {
        this.processes = processes;
        this.timers = timers;
    }

    /**
     * A program to run.
     *
     * @param what it is, for a person
     */
    record Step(String what, List<String> command, long deadlineMs) {}

    /** Runs a program in place of the one before. At its deadline {@code late} is called instead of {@code then}. */
    void run(Step step, Consumer<Processes.Ended> then, Consumer<SshFailure> late) {
        run(step, null, sent -> {}, then, late);
    }

    /** The same with an input. The deadline begins anew whenever a part of it was taken. */
    void run(
            Step step,
            @Nullable Path input,
            LongConsumer sent,
            Consumer<Processes.Ended> then,
            Consumer<SshFailure> late) {
        stop();
        One one = new One(step, sent, then, late);
        current = one;
        one.setDeadline();
        one.running = processes.start(step.command(), input, one);
    }

    /** Ends the program that runs; nobody is told. */
    void stop() {
        if (current != null) {
            current.give();
        }
    }

    private final class One implements Processes.Listener {
        private final Step step;
        private final LongConsumer sent;
        private final Consumer<Processes.Ended> then;
        private final Consumer<SshFailure> late;
        private Processes.@Nullable Running running;
        private Timers.@Nullable Timer deadline;

        One(Step step, LongConsumer sent, Consumer<Processes.Ended> then, Consumer<SshFailure> late) {
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
                late.accept(SshFailure.late(step.what()));
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
