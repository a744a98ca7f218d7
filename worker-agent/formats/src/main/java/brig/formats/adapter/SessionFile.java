package brig.formats.adapter;

import java.io.IOException;

/**
 * What an agent keeps of its own session: its frames are those that {@link TrackedOutputReader} makes of the agent's output, and what it
 * was asked. Owned by one thread.
 */
public interface SessionFile {
    /** Whether more may be written to it. */
    boolean grows();

    /** The usual name of the agent's program. */
    String program();

    /** The folder that the agent worked in, as it says; empty where it does not. */
    String folder();

    /**
     * Tells what was written since the last time.
     *
     * @return whether there was anything that an agent says
     * @throws IOException where the file cannot be read on
     */
    boolean read() throws IOException, InterruptedException;

    /** Nothing more is read: tells what ends with that. */
    void finish() throws InterruptedException;
}
