package brig.protocol.api;

/** Where the network requests of a host's workers leave. */
public enum HostEgress {
    /** On that host. */
    THERE,
    /** On the gateway's host, through the link. */
    HOME
}
