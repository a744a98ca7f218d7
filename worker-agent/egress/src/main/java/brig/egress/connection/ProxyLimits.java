package brig.egress.connection;

/**
 * What a connection may take; bytes and milliseconds.
 *
 * @param connectionsMax of one worker at a time; a further one is closed at once
 * @param lineBytesMax of a request line or a status line
 * @param headerBytesMax of all headers of a message
 * @param holdBytesMax a body up to this length is looked at whole before any of it is sent
 * @param resolveMs until a name has its addresses
 * @param connectMs until a server accepts
 * @param handshakeMs until TLS is set up, on either side
 * @param firstByteMs until a client says its first word
 * @param idleMs without a byte in either direction; a model may think for long
 * @param tunnelIdleMs the same for connections that are passed through
 * @param bytesPerSecondMax of all connections of one worker, each way: more would take a core from those who stream
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
    /** The usual ones. */
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
