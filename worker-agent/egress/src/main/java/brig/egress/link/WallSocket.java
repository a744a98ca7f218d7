package brig.egress.link;

/**
 * A listening socket in the network namespace of a wall, or one for those of a wall on another host.
 *
 * <p>Decisions 0045, 0160.
 *
 * @param role the protocol that it serves
 * @param port the port; {@code TRANSPARENT} sockets listen on every address
 * @param descriptor the file descriptor in this process
 */
public record WallSocket(Role role, int port, int descriptor) {
    /** The port on the wall's 127.0.0.1 for {@code http_proxy} and the like, model routes, and the name server. */
    public static final int PROXY_PORT = 3128;

    public static final int MODEL_PORT = 3129;
    public static final int DNS_PORT = 53;

    /** The purpose of a socket. */
    public enum Role {
        PROXY,
        MODEL,
        TRANSPARENT,
        DNS_UDP,
        DNS_TCP,
        /** A Unix socket for connections of a wall on another host; the first line of each says what it is. */
        GRANTED
    }
}
