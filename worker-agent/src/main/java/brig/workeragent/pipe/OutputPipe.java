package brig.workeragent.pipe;

import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The reading end of a pipe, for a reader or as a stream. */
public interface OutputPipe {
    /** A pause that only {@link #resume} ends. */
    long FOREVER = Long.MAX_VALUE;

    /** Whoever reads a pipe. Called on the pipe's thread, which serves other pipes too and must not block. */
    interface Reader {
        /** Asked before each read. @return for how long not to read, in milliseconds; 0: now */
        long pauseMs();

        /** @param bytes the first {@code count}; not kept after the call */
        void handleBytes(byte[] bytes, int count);

        /**
         * Nothing follows.
         *
         * @param failure null if all writers have closed the pipe
         */
        void handleEnd(@Nullable Exception failure);
    }

    /** Begins to read. */
    void start(Reader reader);

    /** Ends a pause. Thread-safe. */
    void resume();

    /** For a thread that may block; always the same one. Closing it closes the pipe. */
    InputStream stream();

    /** Ends the reader, too. A pipe that came to its end is closed. Thread-safe. */
    void close();
}
