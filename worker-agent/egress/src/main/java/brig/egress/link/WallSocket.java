package brig.egress.link;

/**
 * A listening socket in the network namespace of a wall.
 *
 * <p>Decision 0045.
 *
 * @param role what is spoken to whoever connects
 * @param port where it listens; of {@code TRANSPARENT}, on every address
 * @param descriptor of this process
 */
public record WallSocket(Role role, int port, int descriptor) {
    /** Of the wall's 127.0.0.1: where {@code http_proxy} and its like lead, model routes, and the name server. */
    public static final int PROXY_PORT = 3128;

    public static final int MODEL_PORT = 3129;
    public static final int DNS_PORT = 53;

    /** What a socket is for. */
    public enum Role {
        PROXY,
        MODEL,
        TRANSPARENT,
        DNS_UDP,
        DNS_TCP
    }
}
