package brig.formats.adapter;

import java.util.Set;
import java.util.function.Predicate;

/**
 * The native format of an agent. An adapter has no state; the dialogues that it opens have.
 *
 * <p>Decision 0058.
 */
public interface Adapter {
    /** The output pipes of an agent, by the name that the field {@code stream} of a chunk has. */
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
        /** Takes the next bytes of the pipe; the array is read during the call only. */
        void read(byte[] bytes, int offset, int count, long nowMs) throws InterruptedException;

        /** The pipe ended. */
        void finish(long nowMs) throws InterruptedException;
    }

    /**
     * What surrounds the dialogue with one process.
     *
     * @param frames takes what the agent said
     * @param input takes bytes for its standard input; false where that is closed or full. Any thread may call
     * @param turnDone called behind the frame {@code done} of a message, by the thread that reads standard output
     */
    record Context(FrameSink frames, Predicate<byte[]> input, Runnable turnDone, AgentTask task) {}

    /** Begins to talk with a new process. */
    Dialogue open(Context context);

    /**
     * Whether the agent itself says when it has worked off a message: one process then takes one message after the
     * other. Where not, the end of the process is the end of its message.
     */
    default boolean hasTurns() {
        return true;
    }

    /** The fields of a request's {@code agent_config} that its dialogue says to the agent, from {@link AgentTask}. */
    default Set<String> tells() {
        return Set.of();
    }
}
