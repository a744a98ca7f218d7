package brig.protocol.api;

/** The state of a host's link. */
public enum HostState {
    /** {@code ssh} connects. */
    CONNECTING,
    /** The payload is made and copied there. */
    DEPLOYING,
    /** The worker-agent there starts. */
    STARTING,
    UP,
    /** There is no link; another attempt follows. */
    DOWN,
    /** The host can be reached, but not run workers. */
    UNFIT
}
