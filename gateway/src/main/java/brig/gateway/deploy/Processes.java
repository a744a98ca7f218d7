package brig.gateway.deploy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Starts programs. Their ends are told on the event loop. */
public interface Processes {
    /** The exit code of a program that could not be started. */
    int NOT_STARTED = -1;

    /**
     * A program that has ended.
     *
     * @param out what it wrote, at most {@link Tail#BYTES_MAX} bytes of it, the last
     * @param errors likewise
     */
    record Ended(int code, Tail out, Tail errors) {}

    /** Who waits for a program. */
    interface Listener {
        void handleEnded(Ended ended);

        /** So many bytes of the input were taken. */
        default void handleSent(long bytes) {}
    }

    /** A program that runs. */
    interface Running {
        /** Ends it; its end is told. */
        void end();

        /** What it has written to standard error so far. */
        Tail errors();
    }

    /** Bytes for standard input. */
    interface Input {
        InputStream open() throws IOException;

        /** Those of a file. */
        record OfFile(Path file) implements Input {
            @Override
            public InputStream open() throws IOException {
                return Files.newInputStream(file);
            }
        }

        /** A line of text, in ASCII. */
        record Line(String text) implements Input {
            @Override
            public InputStream open() {
                return new ByteArrayInputStream((text + "\n").getBytes(StandardCharsets.US_ASCII));
            }

            /** It may be a secret. */
            @Override
            public String toString() {
                return "a line";
            }
        }
    }

    /** @param input for its standard input; null for none */
    Running start(List<String> command, @Nullable Input input, Listener listener);
}
