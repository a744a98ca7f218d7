package brig.loadtests.client;

/**
 * How much it takes to make something happen, and how long to wait for it.
 *
 * @param patienceMs silence that counts as a failure
 * @param heartbeatMs a comment comes at least as often
 * @param authTimeoutMs after which a connection without token is closed
 * @param slowReaderMs after which a connection that takes nothing is left, and after as long again cut
 * @param replayBytes more than the server keeps in memory, less than it keeps on disk
 * @param evictBytes more than it keeps on disk
 * @param floodBytes more than lies in all buffers between an agent and a reader
 * @param readersMax of one stream
 * @param messageBytesMax a line of a client may have
 * @param cutStepBytes between two bytes at which a connection is cut
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
}
