package brig.loadtests.peers;

import brig.loadtests.suite.Scenario;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The environment of one run.
 *
 * @param folder   for all files of the run
 * @param programs the folder with the C programs
 * @param cores    the assignment of cores
 */
public record Site(Path folder, Path programs, Cores cores, Scenario scenario) {
    private static final int END = 32_768;
    private static final AtomicInteger LAST = new AtomicInteger(new Random().nextInt(16_384, END - 4_096));

    /** The core of the server and that of the generator. */
    public record Cores(int server, int generator) {
        public List<String> forServer() {
            return List.of("taskset", "-c", String.valueOf(server));
        }

        public List<String> forGenerator() {
            return List.of("taskset", "-c", String.valueOf(generator));
        }
    }

    /** Starts a server program on its core. */
    ServerProcess start(String name, List<String> command) throws IOException {
        List<String> pinned = new ArrayList<>(cores.forServer());
        pinned.addAll(command);
        return ServerProcess.start(folder, name, pinned);
    }

    Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    /**
     * A free port on loopback, given to nobody else, which its server binds later. Most kernels give none below 32768 to
     * whoever asks for any, so no client takes it in between.
     */
    public static int freePort() throws IOException {
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
