package brig.loadtests.peers;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** nats-server: its own protocol on TCP, and within WebSocket messages. It has no SSE. */
final class NatsPeer implements Peer {
    @Override
    public String name() {
        return "nats";
    }

    @Override
    public Optional<String> missing() {
        return InstalledPrograms.missing("nats-server", "nats-server");
    }

    @Override
    public boolean speaks(String transport) {
        return !transport.equals("sse");
    }

    @Override
    public Server start(Site site, String transport) throws IOException {
        int port = Site.freePort();
        int webSocketPort = Site.freePort();
        String config =
                site.write("nats.conf", """
                listen: "127.0.0.1:%d"
                max_connections: 20000
                websocket { host: "127.0.0.1", port: %d, no_tls: true }
                """.formatted(port, webSocketPort)).toString();
        ServerProcess process = site.start(
                "nats-server",
                List.of(InstalledPrograms.program("nats-server").orElseThrow().toString(), "-c", config));
        process.awaitPort(port).awaitPort(webSocketPort);
        boolean webSocket = transport.equals("ws");
        return new Server.Single(
                process,
                List.of(
                        "--publish",
                        "nats",
                        "--publish-to",
                        "127.0.0.1:" + port,
                        "--subscribe",
                        webSocket ? "nats-ws" : "nats",
                        "--connect",
                        "127.0.0.1:" + (webSocket ? webSocketPort : port)));
    }
}
