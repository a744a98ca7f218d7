package brig.loadtests.peers;

import java.io.IOException;
import java.util.Optional;

/** A server that can be measured. */
public interface Peer {
    String name();

    /** What has to be installed first; empty if everything is there. */
    Optional<String> missing();

    /** Whether it supports this transport: {@code sse}, {@code ws} or {@code ndjson}. */
    boolean speaks(String transport);

    /** Whether it has a JIT compiler, which needs a longer warm-up. */
    default boolean compilesAsItRuns() {
        return false;
    }

    /** Starts a server for one run. */
    Server start(Site site, String transport) throws IOException;
}
