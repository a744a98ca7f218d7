package brig.workeragent.wall;

import brig.protocol.control.Posture;
import brig.workeragent.pipe.InputPipe;
import brig.workeragent.pipe.OutputPipe;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A process behind a wall, with all its children. The reader of a pipe closes it. */
public interface WalledProcess {
    OutputPipe stdout();

    OutputPipe stderr();

    /** Null if standard input is {@code /dev/null}. */
    @Nullable
    InputPipe stdin();

    /** The wall's posture, measured before the process started. */
    Posture posture();

    /** Sends SIGTERM to the agent itself, not to its children. */
    void terminate();

    /** Ends the PID namespace: the agent and every process that it started. */
    void kill();

    /** Completes, never exceptionally, when no process is left behind this wall. */
    CompletableFuture<ProcessEnd> end();
}
