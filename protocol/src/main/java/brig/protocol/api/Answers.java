package brig.protocol.api;

import brig.protocol.record.Extensible;

/** Answers that say little. */
public final class Answers {
    private Answers() {}

    /** It was done, and there is nothing to say. */
    @Extensible
    public record Done() {}

    /** Frames up to that number are stored, of an agent that Brig did not start. */
    @Extensible
    public record Ack(long ack) {}

    /**
     * A message is on its way to the agent.
     *
     * @param accepted true
     */
    @Extensible
    public record Accepted(String spawnId, boolean accepted) {}

    /** A connection to a server of the agent; from here on it is that server's. */
    @Extensible
    public record Port(String spawnId, int port) {}

    /**
     * A session of an agent that Brig did not start.
     *
     * @param status {@code tracked}
     */
    @Extensible
    public record Tracked(String spawnId, String taskId, String status) {}
}
