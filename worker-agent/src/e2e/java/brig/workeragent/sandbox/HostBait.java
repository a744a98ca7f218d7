package brig.workeragent.sandbox;

import brig.workeragent.TestFolders;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.SocketException;
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
public final class HostBait implements AutoCloseable {

    public static final Path ESCAPE =
            Path.of(System.getProperty("brig.hostile")).resolve("escape").toAbsolutePath();

    private final Path folder;
    /** The folder as it is called on the host. */
    private final Path there;

    private final Path secret;
    private final Path sharedMemory =
            open(Files.writeString(Files.createTempFile(Path.of("/dev/shm"), "brig", ".bait"), "shared\n"));
    private final Path socketFile;
    private final ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    /** On every address of the host. */
    private final ServerSocket server = new ServerSocket(0, 50);

    private final DatagramSocket datagrams = new DatagramSocket();
    private final String abstractName = "brig-bait-" + ProcessHandle.current().pid();
    /** Holds the abstract socket, and stands in for process 1 where there is no wall. */
    private final Process process;
    /** Its number as the host has it. */
    private final long pid;

    HostBait() throws IOException {
        this(TestFolders.create("brig-bait"), null, List.of("/bin/sh", "-c"), ESCAPE.toString());
    }

    /**
     * @param there how the host calls the folder; null if it is this one
     * @param shell runs the shell command behind it on the host
     * @param program the program of the attempts, as the host calls it
     */
    public HostBait(Path folder, Path there, List<String> shell, String program) throws IOException {
        this.folder = open(folder);
        this.there = there == null ? folder : there;
        secret = open(Files.writeString(folder.resolve("secret"), "of another worker\n"));
        socketFile = folder.resolve("host.sock");
        socket.bind(UnixDomainSocketAddress.of(socketFile));
        open(socketFile);
        List<String> command = new ArrayList<>(shell);
        command.add("echo $$; exec '" + program + "' host " + abstractName);
        process = new ProcessBuilder(command).start();
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        pid = Long.parseLong(lines.readLine());
        String line = lines.readLine();
        if (!"ready".equals(line)) throw new IOException("no abstract socket but " + line);
    }

    private static Path open(Path path) throws IOException {
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    /** One of the host's own addresses by which others find it, if it has any. */
    private static List<String> addresses() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                    .map(address -> "address=" + address.getHostAddress())
                    .limit(1)
                    .toList();
        } catch (SocketException none) {
            return List.of();
        }
    }

    /** @param walled whether process 1 is that of a wall */
    public List<String> attempts(String program, boolean walled) {
        var command = new ArrayList<>(List.of(
                program,
                "secret=" + there.resolve(secret.getFileName()),
                "socket=" + there.resolve(socketFile.getFileName()),
                "abstract=" + abstractName,
                "shm=" + sharedMemory,
                "port=" + server.getLocalPort(),
                "udp=" + datagrams.getLocalPort(),
                "pid=" + pid));
        command.addAll(addresses());
        if (!walled) command.add("init=" + pid);
        return command;
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        server.close();
        datagrams.close();
        socket.close();
        for (Path path : List.of(socketFile, sharedMemory, secret, folder)) Files.delete(path);
    }
}
