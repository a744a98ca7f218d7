package brig.gateway.e2e.provider;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;

/** A port of this machine that is one inside a sandbox. Connections are refused by closing them. */
final class PortBridge implements AutoCloseable {
    private final FakeSandbox sandbox;
    private final int port;
    private final ExecutorService threads;
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    PortBridge(FakeSandbox sandbox, int port, ExecutorService threads) throws IOException {
        this.sandbox = sandbox;
        this.port = port;
        this.threads = threads;
        threads.execute(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                threads.execute(() -> join(socket));
            }
        } catch (IOException closed) {
            // That is its end.
        }
    }

    private void join(Socket socket) {
        try (socket) {
            Process connection = sandbox.dial(port);
            threads.execute(() -> {
                try (OutputStream to = connection.getOutputStream()) {
                    copy(socket.getInputStream(), to);
                } catch (IOException ended) {
                    // The other direction notices by itself.
                }
            });
            try (InputStream from = connection.getInputStream()) {
                copy(from, socket.getOutputStream());
                socket.shutdownOutput();
                FakeSandbox.exitOf(connection);
            }
        } catch (IOException ended) {
            // One of the two is gone; both are closed.
        }
    }

    private static void copy(InputStream from, OutputStream to) throws IOException {
        byte[] piece = new byte[32 * 1024];
        for (int length = from.read(piece); length >= 0; length = from.read(piece)) {
            to.write(piece, 0, length);
            to.flush();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
