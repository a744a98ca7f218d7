package brig.gateway.resources;

import brig.gateway.limits.Admission;
import brig.protocol.api.PruneAnswer;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What an operator can do with the gateway as a whole. */
public record OperatorControls(Admission admission, Stopper stopper, Pruner pruner, Unready unready) {
    /** Whether spawns can be started. */
    @FunctionalInterface
    public interface Unready {
        /** Why none can be started now, in a word; null where one can. */
        @Nullable
        String reason();
    }

    /** Who can stop the gateway. */
    @FunctionalInterface
    public interface Stopper {
        /**
         * Stops when no worker runs any more, at the latest at the deadline.
         *
         * @param handOver leaves workers that run then to the worker-agent; else they are ended
         */
        void stop(long deadlineMs, boolean handOver);
    }

    /** Who can delete what is left of spawns that have ended. */
    @FunctionalInterface
    public interface Pruner {
        /**
         * Deletes what {@code retention} does not let stay.
         *
         * @param dryRun only says what that would be
         * @param by whose wish it is
         */
        CompletionStage<PruneAnswer> prune(boolean dryRun, String by);
    }
}
