package brig.gateway.worker;

import brig.gateway.stream.StreamLog;
import brig.protocol.control.Message;

/** The way to one worker: its frames are paused and resumed, acknowledged, and messages go to it. */
public interface WorkerStream extends StreamLog.Source {
    /** Every frame up to that number is stored; the worker-agent may forget them. */
    void ack(long seq);

    /**
     * Hands a message over. It waits while the link is down.
     *
     * @throws brig.protocol.BrigException {@code WORKER_AGENT_UNAVAILABLE} where too many wait already
     */
    void input(Message message);

    /** Stops what the agent does now; the worker stays. @throws brig.protocol.BrigException as {@link #input} */
    void cancel();

    void close();
}
