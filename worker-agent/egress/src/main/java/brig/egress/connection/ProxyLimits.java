package brig.egress.connection;

/**
 * Limits of connections, in bytes and milliseconds.
 *
 * @param connectionsMax concurrent connections of one worker; further ones are closed at once
 * @param lineBytesMax size of a request line or a status line
 * @param headerBytesMax size of all headers of a message
 * @param holdBytesMax a body up to this size is checked whole before any of it is sent
 * @param resolveMs time to resolve a name
 * @param connectMs time until a server accepts
 * @param handshakeMs time for the TLS handshake, on either side
 * @param firstByteMs time until the client's first byte
 * @param idleMs time without a byte in either direction; a model may think long
 * @param tunnelIdleMs the same for tunnels
 * @param bytesPerSecondMax rate of all connections of one worker, in each direction; a higher rate would take a core
 *     from streams
 */
public record ProxyLimits(
        int connectionsMax,
        int lineBytesMax,
        int headerBytesMax,
        int holdBytesMax,
        long resolveMs,
        int connectMs,
        long handshakeMs,
        long firstByteMs,
        long idleMs,
        long tunnelIdleMs,
        long bytesPerSecondMax) {
    /** The default limits. */
    public static final ProxyLimits USUAL = new ProxyLimits(
            256,
            16 * 1024,
            64 * 1024,
            256 * 1024,
            10_000,
            10_000,
            15_000,
            30_000,
            900_000,
            3_600_000,
            64 * 1024 * 1024);
}
