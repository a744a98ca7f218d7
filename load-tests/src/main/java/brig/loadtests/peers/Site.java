package brig.loadtests.peers;

import brig.loadtests.suite.Scenario;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The environment of one run.
 *
 * @param folder   for all files of the run
 * @param programs the folder with the C programs
 * @param cores    the assignment of cores
 */
public record Site(Path folder, Path programs, Cores cores, Scenario scenario) {

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

    /** A free port on loopback. */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return socket.getLocalPort();
        }
    }
}
