package brig.workeragent.wall;

import brig.protocol.control.Posture;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A process behind a wall, with all its children. Who reads a pipe closes it. */
public interface WalledProcess {
    InputStream stdout();

    InputStream stderr();

    /** Null where standard input is {@code /dev/null}. */
    @Nullable
    OutputStream stdin();

    /** What the wall around it was found to enforce, before it started. */
    Posture posture();

    /** Sends SIGTERM to the agent itself, not to its children. */
    void terminate();

    /** Ends the PID namespace: the agent and every process that it ever started. */
    void kill();

    /** Completes, never exceptionally, when no process is left behind this wall. */
    CompletableFuture<ProcessEnd> end();
}
