package brig.workeragent.link;

import java.io.IOException;
import java.nio.file.Path;

/** The control socket, which serves any number of gateways. */
public final class ControlServer implements AutoCloseable {
    private static final int CONNECTIONS_MAX = 64;

    private final UnixListener listener;

    private ControlServer(UnixListener listener) {
        this.listener = listener;
    }

    /** Listens. @throws brig.protocol.BrigException if another process does, or the path is too long */
    public static ControlServer open(RuntimeFolder folder, ControlOperations operations) throws IOException {
        return new ControlServer(UnixListener.open(
                folder.controlSocket(),
                folder.peers(),
                CONNECTIONS_MAX,
                channel -> new ControlConnection(channel, operations).run()));
    }

    public Path path() {
        return listener.path();
    }

    /** Whether a gateway is connected. */
    public boolean connected() {
        return listener.connected();
    }

    @Override
    public void close() {
        listener.close();
    }
}
