package brig.workeragent.wall;

import brig.protocol.control.Posture;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The wall of one worker. Its processes share the workspace and the limits, and run one at a time. */
public interface Wall extends AutoCloseable {
    /** Where a process finds the message that it was started for. */
    String MESSAGE_FILE = "/brig-message";

    /**
     * Starts a process and waits until it executes its command.
     *
     * @param command the program and its arguments, which everybody on the host can read
     * @param message what {@link #MESSAGE_FILE} holds inside; null where there is no such file
     * @param stdinPipe whether its standard input is a pipe; otherwise it is {@code /dev/null}
     * @throws brig.protocol.BrigException {@code COMMAND_NOT_FOUND}, {@code SANDBOX_UNAVAILABLE},
     *     {@code POSTURE_NOT_ENFORCED}, {@code LIMITS_UNAVAILABLE}, {@code START_TIMEOUT}; no process is left
     *     then
     */
    WalledProcess start(List<String> command, @Nullable String message, boolean stdinPipe) throws InterruptedException;

    /**
     * Builds it once around nothing and takes it down again, to say what it enforces before an agent asks for it.
     *
     * @throws brig.protocol.BrigException as {@link #start}
     */
    Posture measure() throws InterruptedException;

    /**
     * Connects to a server of the agent on 127.0.0.1 inside: a connected, non-blocking descriptor that the caller owns.
     * Fails with a {@link brig.protocol.BrigException}: {@code NOT_FOUND} where no process runs, or none listens there.
     */
    CompletableFuture<Integer> dial(int port);

    /** Gives back what the worker had on the host. To be called when no process of it runs. */
    @Override
    void close();
}
