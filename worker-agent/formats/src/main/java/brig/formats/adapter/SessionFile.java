package brig.formats.adapter;

import java.io.IOException;

/**
 * A session file that an agent writes. It yields the frames that {@link TrackedOutputReader} makes of the agent's
 * output, and the messages to the agent. Owned by one thread.
 */
public interface SessionFile {
    /** Whether the agent may still append to it. */
    boolean grows();

    /** The usual name of the agent's program. */
    String program();

    /** The agent's working folder; empty if the file does not name it. */
    String folder();

    /**
     * Emits frames for what was written since the last call.
     *
     * @return whether there was output of an agent
     * @throws IOException if the file can no longer be read
     */
    boolean read() throws IOException, InterruptedException;

    /** Nothing more is read: emits the frames of what ends with it. */
    void finish() throws InterruptedException;
}
