package brig.workeragent.wall;

import brig.protocol.control.Posture;
import brig.protocol.spawn.TerminalSize;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The wall of one worker. Its processes share the workspace and the limits, and run one at a time. */
public interface Wall extends AutoCloseable {
    /** The path of the message that a process was started for. */
    String MESSAGE_FILE = "/brig-message";

    /**
     * Starts a process and waits until it executes its command.
     *
     * @param command the program and its arguments, which everybody on the host can read
     * @param message the content of {@link #MESSAGE_FILE} inside; null for no such file
     * @param stdinPipe whether its standard input is a pipe; otherwise it is {@code /dev/null}
     * @param tty the size of its terminal, whose other end its pipes are then; null for none
     * @throws brig.protocol.BrigException {@code COMMAND_NOT_FOUND}, {@code SANDBOX_UNAVAILABLE}, {@code
     *     POSTURE_NOT_ENFORCED}, {@code LIMITS_UNAVAILABLE}, {@code START_TIMEOUT}; no process is left then
     */
    WalledProcess start(List<String> command, @Nullable String message, boolean stdinPipe, @Nullable TerminalSize tty)
            throws InterruptedException;

    /** Nobody waits for a process any more: a start that would wait long is to fail soon. Thread-safe. */
    default void abandonStart() {}

    /**
     * Builds the wall once without an agent and tears it down, to measure what it enforces.
     *
     * @throws brig.protocol.BrigException as {@link #start}
     */
    Posture measure() throws InterruptedException;

    /**
     * Connects to a server of the agent on 127.0.0.1 inside: a connected, non-blocking descriptor that the caller owns.
     * Fails with a {@link brig.protocol.BrigException}: {@code NOT_FOUND} if no process runs, or none listens there.
     */
    CompletableFuture<Integer> dial(int port);

    /** Completes with whether something listens on that port of 127.0.0.1 inside; never exceptionally. */
    CompletableFuture<Boolean> listens(int port);

    /** Releases the worker's resources on the host. Call it when no process of the worker runs. */
    @Override
    void close();
}
