package brig.loadtests.client;

/**
 * The sizes and times that the checks need.
 *
 * @param patienceMs silence that counts as a failure
 * @param heartbeatMs the maximum interval of comments
 * @param authTimeoutMs after which a connection without token is closed
 * @param slowReaderMs after which a server started to cut slow readers detaches one, and after as long again closes its
 *     connection
 * @param replayBytes more than the server keeps in memory, less than it keeps on disk
 * @param evictBytes more than it keeps on disk
 * @param floodBytes more than all buffers between an agent and a reader hold
 * @param readersMax of one stream
 * @param messageBytesMax limit of a client's line
 * @param cutStepBytes distance between the positions at which connections are cut
 */
public record Scale(
        long patienceMs,
        long heartbeatMs,
        long authTimeoutMs,
        long slowReaderMs,
        long replayBytes,
        long evictBytes,
        long floodBytes,
        int readersMax,
        int messageBytesMax,
        int cutStepBytes) {
    private static final int MIB = 1024 * 1024;

    /** For a product with the settings of the conformance kit. */
    public static final Scale PRODUCT =
            new Scale(40_000, 15_000, 10_000, 4_000, MIB, 12L * MIB, 20L * MIB, 40, MIB, 131);

    /** The same where a session begins with a sandbox that somebody makes, and with what is brought there. */
    public static final Scale SANDBOXES =
            new Scale(300_000, 15_000, 10_000, 4_000, MIB, 12L * MIB, 20L * MIB, 40, MIB, 131);
}
