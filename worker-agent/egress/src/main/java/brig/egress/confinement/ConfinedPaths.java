package brig.egress.confinement;

import java.nio.file.Path;

/** Where brig-egress finds what the worker-agent gives it, in the root that it sees. */
public final class ConfinedPaths {
    /** The library that {@link SystemCallFilter} loads. */
    public static final Path LIBRARY = Path.of("/run/brig/libbrig-filter.so");
    /** The socket of the worker-agent. */
    public static final Path SOCKET = Path.of("/run/brig/descriptors.sock");

    private ConfinedPaths() {}
}
