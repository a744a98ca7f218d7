package brig.egress.confinement;

import java.nio.file.Path;

/** Paths, in the root of brig-egress, of what the worker-agent mounts there. */
public final class ConfinedPaths {
    /** The library that {@link SystemCallFilter} loads. */
    public static final Path LIBRARY = Path.of("/run/brig/libbrig-filter.so");
    /** The socket of the worker-agent. */
    public static final Path SOCKET = Path.of("/run/brig/descriptors.sock");

    private ConfinedPaths() {}
}
