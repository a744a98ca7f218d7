package brig.gateway.resources;

import brig.gateway.limits.Admission;
import brig.protocol.api.PruneAnswer;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The operator's controls over the whole gateway. */
public record OperatorControls(Admission admission, Stopper stopper, Pruner pruner, Unready unready) {
    /** Tells whether spawns can be started. */
    @FunctionalInterface
    public interface Unready {
        /** Why none can be started now, in a word; null if one can. */
        @Nullable
        String reason();
    }

    /** Stops the gateway. */
    @FunctionalInterface
    public interface Stopper {
        /**
         * Stops when no worker runs any longer, at the latest at the deadline.
         *
         * @param handOver leaves workers that still run to the worker-agent instead of ending them
         */
        void stop(long deadlineMs, boolean handOver);
    }

    /** Deletes ended spawns. */
    @FunctionalInterface
    public interface Pruner {
        /**
         * Deletes what exceeds {@code retention}.
         *
         * @param dryRun only reports what would be deleted
         * @param by who asked for it
         */
        CompletionStage<PruneAnswer> prune(boolean dryRun, String by);
    }
}
