package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig port}.
 *
 * <p>Decision 0089.
 */
@Command(
        name = "port",
        description = "Forward a local port to a server inside the wall of a session.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The server must listen on 127.0.0.1 or on every address. Ctrl-C ends the forwarding.",
            "",
            "Examples:",
            "  brig port build 3000                           http://127.0.0.1:3000 is the session's port 3000",
            "  brig port build 5432 --listen 127.0.0.1:15432"
        })
final class PortCommand implements Callable<Integer> {
    private static final Logger logger = LoggerFactory.getLogger(PortCommand.class);
    private static final int PIECE_BYTES = 64 * 1024;
    private static final int PORT_MAX = 65_535;

    /** @param listen the local address and port */
    private record Forwarded(String spawnId, int port, String listen) {}

    @ParentCommand
    private Main main = new Main();

    @Parameters(index = "0", paramLabel = "SPAWN", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Parameters(index = "1", paramLabel = "PORT", description = "The port of the server inside the wall.")
    private int port;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            description = "The local address. Default: 127.0.0.1 and PORT. Port 0 takes a free one.")
    private @Nullable String listen;

    private String lastNote = "";

    @Override
    public Integer call() {
        if (port < 1 || port > PORT_MAX) {
            throw BrigException.invalid("PORT", "must be from 1 to " + PORT_MAX);
        }
        InetSocketAddress address = address();
        String spawnId;
        try (GatewayClient client = main.context().connect()) {
            spawnId = client.request(new SpawnerRequest.Status(id), SpawnView.class)
                    .spawnId();
        }
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(address)) {
            InetSocketAddress bound = (InetSocketAddress) server.getLocalAddress();
            String shown = shown(bound);
            if (main.json()) {
                main.terminal().json(new Forwarded(spawnId, port, shown));
            } else {
                main.terminal().println("http://" + shown + " is port " + port + " of " + id);
            }
            if (!bound.getAddress().isLoopbackAddress()) {
                main.terminal().note(shown + " is open to others, and asks for no token");
            }
            while (true) {
                SocketChannel local = server.accept();
                Thread.ofVirtual().start(() -> serve(local, spawnId));
            }
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "cannot listen on " + shown(address) + ": " + e.getMessage()
                            + "; choose another address with --listen");
        }
    }

    private static String shown(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    private InetSocketAddress address() {
        if (listen == null) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        }
        int colon = listen.lastIndexOf(':');
        try {
            int wanted = Integer.parseInt(listen.substring(colon + 1));
            String host = colon < 0 ? "127.0.0.1" : listen.substring(0, colon);
            return new InetSocketAddress(InetAddress.getByName(host), wanted);
        } catch (IllegalArgumentException | UnknownHostException e) {
            throw BrigException.invalid("--listen", "must be an address and a port, such as 127.0.0.1:3000");
        }
    }

    /** Serves one connection to its end. */
    private void serve(SocketChannel local, String spawnId) {
        try (ByteLink outside = ByteLink.of(local);
                GatewayClient client = main.context().connect()) {
            ByteLink inside = client.tunnel(new SpawnerRequest.Port(spawnId, port));
            Thread up = Thread.ofVirtual().start(() -> pass(outside, inside));
            pass(inside, outside);
            up.join();
        } catch (BrigException e) {
            note(e.getMessage());
        } catch (IOException e) {
            note("a connection did not close: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Forwards bytes and the end of input. On a failure both connections end. */
    private static void pass(ByteLink from, ByteLink to) {
        ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
        try {
            while (from.read(piece.clear()) >= 0) {
                piece.flip();
                while (piece.hasRemaining()) {
                    to.write(piece);
                }
            }
            to.shutdownOutput();
        } catch (IOException broken) {
            closeBoth(from, to);
        }
    }

    private static void closeBoth(ByteLink... both) {
        for (ByteLink channel : both) {
            try {
                channel.close();
            } catch (IOException e) {
                logger.debug("not closed: {}", e.toString());
            }
        }
    }

    /** Prints a repeated problem once, not for each of a browser's connections. */
    private synchronized void note(String text) {
        if (!text.equals(lastNote)) {
            lastNote = text;
            main.terminal().note(text);
        }
    }
}
