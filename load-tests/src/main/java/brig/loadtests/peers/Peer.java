package brig.loadtests.peers;

import java.io.IOException;
import java.util.Optional;

/** A server that can be measured. */
public interface Peer {
    String name();

    /** What has to be installed before it can be measured; empty where all is there. */
    Optional<String> missing();

    /** Whether it can be read over this transport: {@code sse}, {@code ws} or {@code ndjson}. */
    boolean speaks(String transport);

    /** Whether it compiles its code while it runs, so that it needs a longer warm-up. */
    default boolean compilesAsItRuns() {
        return false;
    }

    /** A server of its own for one run. */
    Server start(Site site, String transport) throws IOException;
}
