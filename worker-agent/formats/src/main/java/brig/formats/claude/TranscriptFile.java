package brig.formats.claude;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The lines of a transcript, each once. */
interface TranscriptFile {
    Path path();

    /**
     * The first line that was not taken, without its newline; null if none is complete.
     *
     * @throws IOException if the file cannot be read, became shorter, or was replaced
     */
    byte @Nullable [] line() throws IOException;

    /** Takes the line that {@link #line} returned. */
    void next();

    /** The number of lines that were dropped since the last call. */
    int takeDropped();

    /** Stops reading the file. */
    void giveUp();

    /** Nothing more is written: the last line counts without a newline. */
    void finish();
}
