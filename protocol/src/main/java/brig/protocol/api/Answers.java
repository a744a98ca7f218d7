package brig.protocol.api;

import brig.protocol.record.Extensible;

/** Answers with little or no content. */
public final class Answers {
    private Answers() {}

    /** Success without further content. */
    @Extensible
    public record Done() {}

    /** Frames of a tracked session are stored up to that number. */
    @Extensible
    public record Ack(long ack) {}

    /** A message is on its way to the agent. */
    @Extensible
    public record Accepted(String spawnId, boolean accepted) {}

    /** A connection to a server of the agent; all following bytes belong to that server. */
    @Extensible
    public record Port(String spawnId, int port) {}

    /** A connection to a shell on the host of the session's tunnel; what follows are its messages. */
    @Extensible
    public record Shell(String spawnId) {}

    /**
     * A tracked session.
     *
     * @param status {@code tracked}
     */
    @Extensible
    public record Tracked(String spawnId, String taskId, String status) {}
}
