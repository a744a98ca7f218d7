package brig.formats.adapter;

/**
 * Reads what an agent on a terminal writes about itself into files, beside its terminal. The files are followed from inside
 * its wall. Owned by the thread that reads the pipe.
 *
 * <p>Decision 0195.
 */
public interface TranscriptReader {
    /** The file of its wall that it is followed from the start: its hooks or plugins write lines of JSON there. */
    String EVENTS = "/tmp/.brig-events";

    /** Begins to read. */
    @FunctionalInterface
    interface Factory {
        /**
         * @param frames takes the frames
         * @param activity is told what the agent does
         * @param files follows more files
         */
        TranscriptReader open(AgentFrames frames, AgentActivity activity, Files files);
    }

    /** Files inside the wall. */
    interface Files {
        /**
         * Follows a file from now on; the same file once. A file that does not exist yet is followed when it does.
         *
         * @param path absolute
         */
        void follow(String path, Mode mode);
    }

    /** How a file is read. */
    enum Mode {
        /** Lines, from the first. */
        LINES,
        /** Lines that are appended from now on. */
        NEW_LINES,
        /** One object, whether or not a newline ends it. */
        WHOLE
    }

    /** A complete line of a followed file, without its newline. */
    void handleLine(String path, byte[] line) throws InterruptedException;

    /** For a while nothing was written. */
    default void handleQuiet() throws InterruptedException {}

    /** Nothing more is written. */
    void handleEnd() throws InterruptedException;
}
