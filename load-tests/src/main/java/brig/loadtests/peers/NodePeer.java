package brig.loadtests.peers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A typical Node server: parses each frame, and writes it to each reader as it comes. */
final class NodePeer implements Peer {
    private static final String SERVER = "/brig/loadtests/node-peer.js";

    @Override
    public String name() {
        return "node";
    }

    @Override
    public Optional<String> missing() {
        return InstalledPrograms.missing("node", "nodejs");
    }

    @Override
    public boolean speaks(String transport) {
        return true;
    }

    @Override
    public boolean compilesAsItRuns() {
        return true;
    }

    @Override
    public Server start(Site site, String transport) throws IOException {
        Path script = site.folder().resolve("node-peer.js");
        try (InputStream in = NodePeer.class.getResourceAsStream(SERVER)) {
            if (in == null) {
                throw new IOException(SERVER + " is not on the class path");
            }
            Files.copy(in, script);
        }
        return LineServer.start(
                site,
                name(),
                transport,
                List.of(InstalledPrograms.program("node").orElseThrow().toString(), script.toString()));
    }
}
