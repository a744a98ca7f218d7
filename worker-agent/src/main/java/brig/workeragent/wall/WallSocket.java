package brig.workeragent.wall;

/**
 * A listening socket in the network namespace of a wall.
 *
 * @param role what is spoken to whoever connects
 * @param port where it listens; of {@code TRANSPARENT}, on every address
 * @param descriptor of this process
 */
public record WallSocket(Role role, int port, int descriptor) {
    /** What a socket is for. */
    public enum Role { PROXY, MODEL, TRANSPARENT, DNS_UDP, DNS_TCP }
}
