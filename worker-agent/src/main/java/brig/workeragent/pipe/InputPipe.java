package brig.workeragent.pipe;

import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** The writing end of a pipe, for a writer or as a stream. */
public interface InputPipe {
    /** Whoever writes a pipe. Called on the pipe's thread, which serves other pipes too and must not block. */
    interface Writer {
        /** The next bytes, when the pipe has taken those before; null for none now. They do not change any more. */
        byte @Nullable [] next();

        /** Whether nothing follows. Asked when there is nothing now. */
        boolean isOver();

        /**
         * The pipe takes nothing any longer, and is closed.
         *
         * @param failure null if the writer was over
         */
        void handleEnd(@Nullable Exception failure);
    }

    /** Begins to write. */
    void start(Writer writer);

    /** There is something to write, or the writer is over. Thread-safe. */
    void resume();

    /** For a thread that may block; always the same one. Closing it closes the pipe. */
    OutputStream stream();

    /** Ends the writer, whatever waits. Thread-safe. */
    void close();
}
