package brig.workeragent.adapter;

import brig.workeragent.pump.FrameSink;
import java.util.Optional;

/** The native format of an agent. An adapter has no state; the readers that it makes have. */
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

    /** A reader for one pipe of a new process. */
    OutputReader reader(Pipe pipe, FrameSink frames);

    /** What is written to the agent's standard input for a message. */
    byte[] input(String content);

    /**
     * What is written to the agent's standard input to stop what it does; empty where its format has no such
     * thing.
     */
    Optional<byte[]> cancelInput();

    /** The adapter of that name in an agent profile, empty where there is none. */
    static Optional<Adapter> named(String name) {
        return name.equals("text") ? Optional.of(new TextAdapter()) : Optional.empty();
    }
}
