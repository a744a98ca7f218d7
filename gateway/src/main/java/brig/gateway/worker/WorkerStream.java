package brig.gateway.worker;

import brig.gateway.stream.StreamLog;
import brig.protocol.control.Message;
import brig.protocol.spawn.TerminalSize;

/** The stream of one worker: pausing, acknowledging frames, and sending messages. */
public interface WorkerStream extends StreamLog.Source {
    /** Whether frames come from the worker-agent itself, not by way of another gateway. */
    default boolean isDirect() {
        return true;
    }

    /** Every frame up to that number is stored; the worker-agent may drop them. */
    void ack(long seq);

    /**
     * Sends a message. It waits while the link is down.
     *
     * @throws brig.protocol.BrigException {@code WORKER_AGENT_UNAVAILABLE} if too many are waiting
     */
    void input(Message message);

    /**
     * Sends keys to the agent's terminal. They do not wait while the link is down.
     *
     * @throws brig.protocol.BrigException {@code INPUT_NOT_ACCEPTED} or {@code WORKER_AGENT_UNAVAILABLE}
     */
    void keys(String keys);

    /** Gives the agent's terminal a size. @throws brig.protocol.BrigException as {@link #input} */
    void resize(TerminalSize size);

    /** Cancels the agent's current turn; the worker stays. @throws brig.protocol.BrigException as {@link #input} */
    void cancel();

    void close();
}
