package brig.gateway.e2e;

import brig.workeragent.TestFolders;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** Debian's nats-server, one or three that work together, on loopback, with an account for Brig and the system account. */
final class NatsServers implements AutoCloseable {
    private static final Path PROGRAM = Path.of(System.getProperty("brig.nats", ""), "usr/sbin/nats-server");

    /**
     * How clients come in.
     *
     * @param config lines of the servers' configuration
     * @param user credentials in the account of Brig
     * @param system credentials in the system account
     * @param trusting trusts the servers; null without TLS
     */
    record Access(
            String scheme,
            String config,
            String user,
            String system,
            @Nullable SSLContext trusting) {
        private static final Access PASSWORDS =
                new Access("nats", """
                accounts {
                  BRIG: { jetstream: enabled, users: [{user: brig, password: a-password}] }
                  SYS: { users: [{user: system, password: a-password}] }
                }
                system_account: SYS
                """, "brig:a-password\n", "system:a-password\n", null);
    }

    private final Access access;
    private final Path folder;
    private final List<Integer> ports = new ArrayList<>();
    private final List<Integer> routes = new ArrayList<>();
    private final List<Process> processes = new ArrayList<>();

    private NatsServers(int count, String sync, Access access) throws IOException {
        this.access = access;
        Assumptions.assumeTrue(
                Files.isExecutable(PROGRAM), "no nats-server of 2.10.23 or later could be unpacked (unpack-nats)");
        folder = Files.createTempDirectory("brig-nats-");
        Files.writeString(secret("brig.creds"), access.user());
        Files.writeString(secret("system.creds"), access.system());
        for (int i = 0; i < count; i++) {
            ports.add(FreePorts.next());
            routes.add(FreePorts.next());
        }
        for (int i = 0; i < count; i++) {
            Files.writeString(config(i), text(i, sync));
            processes.add(begin(i));
            // Servers that begin together tell of themselves before there is a leader, which then passes them over for
            // long.
            if (count > 1 && i == count / 2) {
                Await.until("JetStream has a leader", this::hasLeader);
            }
        }
    }

    private boolean hasLeader() throws IOException {
        for (int i = 0; i < processes.size(); i++) {
            if (!processes.get(i).isAlive()) {
                throw new AssertionError("nats-server ended: " + Files.readString(log(i)));
            }
            if (Files.readString(log(i)).contains("metadata leader:")) {
                return true;
            }
        }
        return false;
    }

    private Path log(int index) {
        return folder.resolve("n" + (index + 1) + ".log");
    }

    /** Servers that write to disk before they acknowledge. */
    static NatsServers start(int count) throws IOException {
        return start(count, Access.PASSWORDS);
    }

    static NatsServers start(int count, Access access) throws IOException {
        NatsServers servers = new NatsServers(count, "sync_interval: always", access);
        servers.awaitUp();
        return servers;
    }

    /** Servers as they are without a setting. */
    static NatsServers lax() throws IOException {
        NatsServers servers = new NatsServers(1, "", Access.PASSWORDS);
        servers.awaitUp();
        return servers;
    }

    private Path secret(String name) throws IOException {
        Path file = folder.resolve(name);
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        return file;
    }

    private Path config(int index) {
        return folder.resolve("n" + (index + 1) + ".conf");
    }

    private String text(int index, String sync) {
        String all = routes.stream().map(port -> "nats://127.0.0.1:" + port).collect(Collectors.joining(", "));
        return """
                listen: 127.0.0.1:%d
                server_name: n%d
                max_payload: 8MB
                jetstream { store_dir: "%s", %s }
                %s
                %s
                """.formatted(
                        ports.get(index),
                        index + 1,
                        store(index),
                        sync,
                        access.config(),
                        ports.size() == 1
                                ? ""
                                : "cluster { name: brig, listen: \"127.0.0.1:" + routes.get(index) + "\", routes: ["
                                        + all + "] }");
    }

    private Process begin(int index) throws IOException {
        return new ProcessBuilder(PROGRAM.toString(), "-c", config(index).toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log(index).toFile()))
                .start();
    }

    private void awaitUp() throws IOException {
        for (int port : ports) {
            Await.until("nats-server listens", () -> listens(port));
        }
        Await.until("JetStream keeps streams on all servers", this::makesStreams);
    }

    @SuppressWarnings("try") // An interrupt is handled below.
    private boolean makesStreams() {
        try {
            Connection connection = connect();
            try {
                JetStreamManagement management = connection.jetStreamManagement();
                management.addStream(StreamConfiguration.builder()
                        .name("probe")
                        .subjects("probe")
                        .replicas(replicas())
                        .build());
                return management.deleteStream("probe");
            } finally {
                connection.close();
            }
        } catch (IOException | JetStreamApiException notYet) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    List<String> urls() {
        return ports.stream()
                .map(port -> access.scheme() + "://127.0.0.1:" + port)
                .toList();
    }

    String credentials() throws IOException {
        return secret("brig.creds").toString();
    }

    String systemCredentials() throws IOException {
        return secret("system.creds").toString();
    }

    /** The number of replicas that they can have. */
    int replicas() {
        return ports.size();
    }

    /** A connection as gateways have one. */
    Connection connect() throws IOException, InterruptedException {
        Options.Builder options = Options.builder().servers(urls().toArray(String[]::new));
        if (access.trusting() == null) {
            String[] user = access.user().strip().split(":");
            options.userInfo(user[0], user[1]);
        } else {
            options.authHandler(Nats.credentials(credentials())).sslContext(access.trusting());
        }
        return Nats.connect(options.build());
    }

    /** Ends a server as its service does. */
    void stop(int index) {
        processes.get(index).destroy();
        awaitEnd(processes.get(index));
    }

    /** Where a server keeps its streams. */
    Path store(int index) {
        return folder.resolve("data" + (index + 1));
    }

    /** Where a test may keep a copy of that. */
    Path backup(int index) {
        return folder.resolve("backup" + (index + 1));
    }

    /** Ends a server with SIGKILL. */
    void kill(int index) {
        processes.get(index).destroyForcibly();
        awaitEnd(processes.get(index));
    }

    void restart(int index) throws IOException {
        processes.set(index, begin(index));
        Await.until("nats-server listens", () -> listens(ports.get(index)));
    }

    private static void awaitEnd(Process process) {
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(NatsServers::awaitEnd);
        TestFolders.delete(folder);
    }
}
