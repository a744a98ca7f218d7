package brig.loadtests.peers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A server that takes frames as lines, and serves readers at another address, by Unix socket or HTTP. */
final class LineServer {
    private LineServer() {}

    /** @param command without the addresses */
    static Server start(Site site, String name, String transport, List<String> command) throws IOException {
        int publishPort = Site.freePort();
        boolean lines = transport.equals("ndjson");
        int port = lines ? 0 : Site.freePort();
        Path socket = site.folder().resolve("readers.sock");
        String address = lines ? "unix:" + socket : "127.0.0.1:" + port;
        List<String> whole = new ArrayList<>(command);
        whole.addAll(List.of("--publish", "127.0.0.1:" + publishPort, "--listen", address));
        ServerProcess process = site.start(name, whole);
        process.awaitPort(publishPort);
        if (lines) {
            process.awaitSocket(socket);
        } else {
            process.awaitPort(port);
        }
        return new Server.Single(
                process,
                List.of(
                        "--publish",
                        "lines",
                        "--publish-to",
                        "127.0.0.1:" + publishPort,
                        "--subscribe",
                        transport,
                        "--connect",
                        address));
    }
}
