package brig.formats.adapter;

import brig.formats.adapter.Adapter.OutputReader;
import brig.formats.adapter.Adapter.Pipe;

/**
 * What is said to one process and what it says. One thread reads each pipe; one other thread calls the rest, and is
 * never made to wait.
 *
 * <p>Decision 0058.
 */
public interface Dialogue {
    /** The reader of a pipe; to be taken once. */
    OutputReader reader(Pipe pipe);

    /** The process runs: says what has to be said before the first message. */
    default void start() {}

    /** Hands a message to the agent; false where it takes none any more. */
    boolean send(String content);

    /**
     * Tells the agent in its own language to stop what it does; its frame {@code done} follows. False where its format
     * has no such thing, or it does nothing.
     */
    default boolean cancel() {
        return false;
    }
}
