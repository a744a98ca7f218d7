package brig.gateway.e2e;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports on loopback for servers that bind them later, or again after they were killed. Most kernels give none below
 * 32768 to whoever asks for any, so no other test takes one in between.
 */
final class FreePorts {
    private static final int END = 32_768;
    private static final AtomicInteger LAST = new AtomicInteger(new Random().nextInt(16_384, END - 4_096));

    private FreePorts() {}

    /** A port that this program has given to nobody else. */
    static int next() throws IOException {
        for (int port = LAST.incrementAndGet(); port < END; port = LAST.incrementAndGet()) {
            if (isFree(port)) {
                return port;
            }
        }
        throw new IOException("no port below " + END + " is free");
    }

    private static boolean isFree(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (BindException taken) {
            return false;
        }
    }
}
