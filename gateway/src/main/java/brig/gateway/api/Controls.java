package brig.gateway.api;

import brig.gateway.limits.Admission;
import java.util.function.BooleanSupplier;

/** What an operator can do with the gateway as a whole. */
public record Controls(Admission admission, Stopper stopper, BooleanSupplier ready) {
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
}
