package brig.formats.adapter;

import java.util.Set;
import java.util.function.Predicate;

/**
 * The native format of an agent. Adapters are stateless; the dialogues that they open hold the state.
 *
 * <p>Decision 0058.
 */
public interface Adapter {
    /** The output pipes of an agent, with their names in the field {@code stream} of a chunk. */
    enum Pipe {
        STDOUT("stdout"),
        STDERR("stderr");

        private final String wireName;

        Pipe(String wireName) {
            this.wireName = wireName;
        }

        public String wireName() {
            return wireName;
        }
    }

    /** Turns the bytes of one pipe of one process into frames. Owned by the thread that reads the pipe. */
    interface OutputReader {
        /** Takes the next bytes of the pipe. The array is not kept after the call. */
        void read(byte[] bytes, int offset, int count, long nowMs) throws InterruptedException;

        /** The pipe ended. */
        void finish(long nowMs) throws InterruptedException;
    }

    /**
     * The environment of the dialogue with one process.
     *
     * @param frames receives the agent's frames
     * @param input writes to standard input; false if it is closed or full. Thread-safe
     * @param asks holds the agent's requests until they are answered
     * @param turnDone called after a message's {@code done} frame, by the thread that reads standard output
     */
    record Context(FrameSink frames, Predicate<byte[]> input, Asks asks, Runnable turnDone, AgentTask task) {}

    /** Opens the dialogue with a new process. */
    Dialogue open(Context context);

    /**
     * Whether the agent itself reports the end of each message, so that one process serves several messages in turn.
     * Otherwise a message ends when its process ends.
     */
    default boolean hasTurns() {
        return true;
    }

    /** Whether its agents ask for permissions. */
    default boolean asks() {
        return true;
    }

    /** The fields of {@code agent_config} that the dialogue passes to the agent, from {@link AgentTask}. */
    default Set<String> tells() {
        return Set.of();
    }
}
