package brig.loadtests.cluster;

import brig.loadtests.engine.Children;
import brig.loadtests.peers.Site;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/** nats-servers on loopback that work together, with an account for gateways and the system account. */
final class NatsServers implements AutoCloseable {
    private static final String LEADER = "JetStream cluster new metadata leader";

    private final Path folder;
    private final String password = UUID.randomUUID().toString();
    private final List<Integer> ports = new ArrayList<>();
    private final List<Integer> routes = new ArrayList<>();
    private final List<Process> processes = new ArrayList<>();

    private NatsServers(Path folder) {
        this.folder = folder;
    }

    /** Starts them and waits until they are up. */
    static NatsServers start(Path program, Path folder, int count) throws IOException {
        NatsServers servers = new NatsServers(folder);
        try {
            servers.begin(program, count);
            return servers;
        } catch (IOException | RuntimeException e) {
            servers.close();
            throw e;
        }
    }

    private void begin(Path program, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            ports.add(Site.freePort());
            routes.add(Site.freePort());
        }
        for (int i = 0; i < count; i++) {
            Path config = secret(folder, "n" + i + ".conf", text(i));
            processes.add(Children.start(new ProcessBuilder(program.toString(), "-c", config.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(log(i).toFile())));
            // Servers that begin together tell of themselves before there is a leader, which then passes them over for
            // long.
            if (count > 1 && i == count / 2) {
                Patience.await("the nats-servers have a leader", this::hasLeader);
            }
        }
        for (int i = 0; i < count; i++) {
            int port = ports.get(i);
            Patience.await("nats-server listens", () -> listens(port));
        }
    }

    /** A new file that only this user can read. */
    static Path secret(Path folder, String name, String text) throws IOException {
        Path file = Files.createFile(
                folder.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, text);
    }

    private Path log(int index) {
        return folder.resolve("n" + index + ".log");
    }

    private String text(int index) {
        String all = routes.stream().map(port -> "nats://127.0.0.1:" + port).collect(Collectors.joining(", "));
        return """
                listen: "127.0.0.1:%d"
                server_name: n%d
                max_payload: 8MB
                jetstream { store_dir: "%s", sync_interval: always }
                accounts {
                  BRIG: { jetstream: enabled, users: [{user: brig, password: "%s"}] }
                  SYS: { users: [{user: system, password: "%s"}] }
                }
                system_account: SYS
                %s
                """.formatted(
                        ports.get(index),
                        index,
                        folder.resolve("data" + index),
                        password,
                        password,
                        ports.size() == 1
                                ? ""
                                : "cluster { name: brig, listen: \"127.0.0.1:" + routes.get(index) + "\", routes: ["
                                        + all + "] }");
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    private boolean hasLeader() throws IOException {
        for (int i = 0; i < processes.size(); i++) {
            if (!processes.get(i).isAlive()) {
                throw new IOException("nats-server ended: " + Files.readString(log(i)));
            }
            if (Files.readString(log(i), StandardCharsets.UTF_8).contains(LEADER)) {
                return true;
            }
        }
        return false;
    }

    List<String> urls() {
        return ports.stream().map(port -> "nats://127.0.0.1:" + port).toList();
    }

    /** The line that a gateway presents for that user. */
    String credentials(String user) {
        return user + ":" + password + "\n";
    }

    List<Long> pids() {
        return processes.stream().map(Process::pid).toList();
    }

    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
        for (Process process : processes) {
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
