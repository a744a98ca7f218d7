package brig.workeragent.sandbox;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * What an escape would find on the host: a file of another workspace, shared memory, a process, and sockets of each
 * kind. Open to everybody, so that nothing but the wall keeps anybody out.
 */
final class HostBait implements AutoCloseable {

    static final Path ESCAPE = Path.of(System.getProperty("brig.hostile")).resolve("escape");

    private final Path folder = open(Files.createTempDirectory("brig-bait"));
    private final Path secret = open(Files.writeString(folder.resolve("secret"), "of another worker\n"));
    private final Path sharedMemory =
            open(Files.writeString(Files.createTempFile(Path.of("/dev/shm"), "brig", ".bait"), "shared\n"));
    private final Path socketFile = folder.resolve("host.sock");
    private final ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    private final ServerSocket loopback = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final String abstractName = "brig-bait-" + ProcessHandle.current().pid();
    /** Holds the abstract socket, and stands in for process 1 where there is no wall. */
    private final Process process;

    HostBait() throws IOException {
        socket.bind(UnixDomainSocketAddress.of(socketFile));
        open(socketFile);
        process = new ProcessBuilder(ESCAPE.toString(), "host", abstractName).start();
        String line = process.inputReader(StandardCharsets.UTF_8).readLine();
        if (!"ready".equals(line)) throw new IOException("no abstract socket but " + line);
    }

    private static Path open(Path path) throws IOException {
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    /** @param walled whether process 1 is that of a wall */
    List<String> attempts(String program, boolean walled) {
        var command = new ArrayList<>(List.of(program, "secret=" + secret, "socket=" + socketFile,
                "abstract=" + abstractName, "shm=" + sharedMemory, "port=" + loopback.getLocalPort(),
                "pid=" + process.pid()));
        if (!walled) command.add("init=" + process.pid());
        return command;
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        loopback.close();
        socket.close();
        for (Path path : List.of(socketFile, sharedMemory, secret, folder)) Files.delete(path);
    }
}
