package brig.gateway.cluster;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The frames of the workers of all hosts, a log for each host. Calls return at once; results and runs come on the event
 * loop.
 */
public interface SharedLog {
    /** A run and its place in the log of its host; places grow. */
    record Placed(long position, Run run) {}

    /** Takes runs, in order. */
    @FunctionalInterface
    interface Reader {
        /** The next ones come when the result completes. */
        CompletionStage<Void> handle(List<Placed> runs);
    }

    /** A reading that goes on until it is closed. */
    @FunctionalInterface
    interface Reading {
        void close();
    }

    /**
     * Appends a run after the last one of its spawn. Repeated, it is there once.
     *
     * @param after the position of the last run of its spawn, 0 for none
     * @return its position, when it is durable; fails with {@link StaleException} if another run is the last one, and otherwise
     *     it may or may not be there
     */
    CompletionStage<Long> append(String host, Run run, long after);

    /** The last run of a spawn. */
    CompletionStage<Optional<Placed>> last(String host, String spawnId);

    /** Reads all runs of a host behind that position, those to come too. */
    Reading follow(String host, long after, Reader reader);

    /** Shows a run that is not durable yet to whoever watches its host. It may get lost. */
    void show(String host, Run run);

    /** Watches what is shown of a host, in any order. */
    Reading watch(String host, Consumer<Run> watcher);
}
