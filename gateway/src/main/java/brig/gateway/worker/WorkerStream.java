package brig.gateway.worker;

import brig.gateway.stream.StreamLog;
import brig.protocol.control.Message;

/** The stream of one worker: pausing, acknowledging frames, and sending messages. */
public interface WorkerStream extends StreamLog.Source {
    /** Every frame up to that number is stored; the worker-agent may drop them. */
    void ack(long seq);

    /**
     * Sends a message. It waits while the link is down.
     *
     * @throws brig.protocol.BrigException {@code WORKER_AGENT_UNAVAILABLE} if too many are waiting
     */
    void input(Message message);

    /** Cancels the agent's current turn; the worker stays. @throws brig.protocol.BrigException as {@link #input} */
    void cancel();

    void close();
}
