package brig.egress.proxy;

import brig.egress.confinement.ConfinedPaths;
import brig.egress.confinement.SelfMeasurement;
import brig.egress.confinement.SystemCallFilter;
import brig.egress.link.WallSocket;
import brig.egress.policy.AddressGuard;
import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostNames;
import brig.egress.tls.CertificateAuthority;
import brig.egress.tls.LeafCertificates;
import brig.egress.tls.UpstreamTls;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.json.Settings;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process brig-egress. The worker-agent starts it with nothing in sight, writes JSON lines to its standard input, and
 * reads {@code ready}, {@code audit} and events from its standard output; the sockets come over a Unix socket, in the
 * order in which the lines name them. What it needs of the host's files it is told: the authority, the roots of trust, the
 * values of secrets. It ends with its input, so it never outlives the worker-agent.
 *
 * <p>In: {@code configure} (first), {@code register}, {@code secrets}, {@code socket}, {@code policy}, {@code allow},
 * {@code deny}, {@code revoke}, {@code unregister}. Out: {@code ready}, {@code audit}, {@code event}, {@code lost}.
 */
public final class EgressMain {
    private static final int LOOPS = 2;
    private static final int LINE_BYTES_MAX = 4 * 1024 * 1024;
    private static final int EVENTS_MAX = 4096;
    private static final int AUDIT_MAX = 16_384;
    private static final int DNS_PORT = 53;

    /** The line {@code configure}. */
    private record Configuration(
            String type,
            String certificate,
            String key,
            Map<String, Object> hosts,
            List<String> extraRoots,
            List<String> closed) {}

    private final EgressServer server;
    private final DescriptorSource descriptors;

    private EgressMain(EgressServer server, DescriptorSource descriptors) {
        this.server = server;
        this.descriptors = descriptors;
    }

    /** Runs until standard input ends. Exit code 2: it cannot start, and says why. */
    public static void main(String... arguments) {
        if (System.getProperty("logback.configurationFile") == null) {
            System.setProperty("logback.configurationFile", "brig/workeragent/logback.xml");
        }
        Logger log = LoggerFactory.getLogger(EgressMain.class);
        try (InputStream in = new BufferedInputStream(System.in)) {
            run(in);
        } catch (Exception | Error e) {
            // Whatever it is: the threads that are left would keep the process.
            log.error("brig-egress cannot go on", e);
            System.exit(2);
        }
        System.exit(0);
    }

    private static void run(InputStream in) throws IOException, InterruptedException {
        byte[] first = readLine(in);
        if (first == null) {
            return;
        }
        Configuration config = Settings.bind(Json.parseObject(first), Configuration.class);
        Clock clock = Clock.systemUTC();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(LOOPS, EpollIoHandler.newFactory());
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out));
        try (EventWriter events = EventWriter.start("events", EVENTS_MAX, out);
                EventWriter audit = EventWriter.start("audit", AUDIT_MAX, out);
                DescriptorSource descriptors = DescriptorSource.connect(ConfinedPaths.SOCKET, loops)) {
            // The last socket of this host is made, and nothing of a wall was read yet.
            SystemCallFilter.install(ConfinedPaths.LIBRARY);
            Map<String, Object> measured = SelfMeasurement.measure(config.closed());
            ProxyLimits limits = ProxyLimits.USUAL;
            HostResolver resolver = new HostResolver(addresses(config.hosts()), threads, limits.resolveMs());
            CertificateAuthority authority =
                    CertificateAuthority.of(new CertificateAuthority.Pems(config.certificate(), config.key()));
            ProxyServices around = new ProxyServices(
                    new Dialer(resolver, new AddressGuard(), new UpstreamTls(config.extraRoots()), limits),
                    new LeafCertificates(authority, threads, clock),
                    entry -> audit.offer(Map.of("type", "audit", "entry", entry)),
                    events::offer,
                    new NameServers(nameServers(), threads),
                    threads,
                    limits,
                    clock);
            try (EgressServer server = new EgressServer(around, loops)) {
                events.offer(Map.of("type", "ready", "measured", measured));
                new EgressMain(server, descriptors).serve(in);
            }
        }
    }

    private void serve(InputStream in) throws IOException, InterruptedException {
        for (byte[] line = readLine(in); line != null; line = readLine(in)) {
            Map<String, @Nullable Object> message = Json.parseObject(line);
            String worker = text(message, "worker");
            switch (text(message, "type")) {
                case "register" -> server.register(registration(message), sockets(message));
                case "secrets" -> server.changeSecrets(worker, words(message, "values"));
                case "socket" -> sockets(message).forEach(socket -> server.add(worker, socket));
                case "policy" ->
                    server.changePolicy(worker, EgressPolicy.read(JsonObject.of(object(message, "policy"))));
                case "allow" -> server.allow(worker, text(message, "host"), Boolean.TRUE.equals(message.get("once")));
                case "deny" -> server.deny(worker, text(message, "host"));
                case "revoke" -> server.revoke(worker, text(message, "secret"));
                case "unregister" -> server.unregister(worker);
                default -> throw new IOException("the worker-agent says something unknown: " + text(message, "type"));
            }
        }
    }

    private static byte @Nullable [] readLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                return line.toByteArray();
            }
            if (line.size() > LINE_BYTES_MAX) {
                throw new IOException("a line from the worker-agent is too long");
            }
            line.write(b);
        }
        return null;
    }

    private static Registration registration(Map<String, @Nullable Object> message) {
        return new Registration(
                text(message, "worker"),
                text(message, "spawn"),
                text(message, "agent"),
                EgressPolicy.read(JsonObject.of(object(message, "policy"))),
                words(message, "placeholders"),
                texts(message, "allowed"),
                new TreeSet<>(texts(message, "revoked")));
    }

    private static Map<String, String> words(Map<String, @Nullable Object> message, String key) {
        Map<String, String> words = new TreeMap<>();
        object(message, key).forEach((name, value) -> words.put(name, String.valueOf(value)));
        return words;
    }

    private List<WallSocket> sockets(Map<String, @Nullable Object> message) throws IOException, InterruptedException {
        List<WallSocket> sockets = new ArrayList<>();
        if (message.get("sockets") instanceof List<?> list) {
            for (Object one : list) {
                if (one instanceof Map<?, ?> socket && socket.get("port") instanceof Long port) {
                    sockets.add(new WallSocket(
                            WallSocket.Role.valueOf(String.valueOf(socket.get("role"))),
                            port.intValue(),
                            descriptors.take()));
                }
            }
        }
        return sockets;
    }

    private static String text(Map<String, @Nullable Object> message, String key) {
        return message.get(key) instanceof String text ? text : "";
    }

    private static List<String> texts(Map<String, @Nullable Object> message, String key) {
        return message.get(key) instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, @Nullable Object> object(Map<String, @Nullable Object> message, String key) {
        return message.get(key) instanceof Map<?, ?> map ? (Map<String, @Nullable Object>) map : Map.of();
    }

    private static Map<String, List<InetAddress>> addresses(Map<String, Object> hosts) throws IOException {
        Map<String, List<InetAddress>> addresses = new TreeMap<>();
        for (Map.Entry<String, Object> host : hosts.entrySet()) {
            List<InetAddress> of = new ArrayList<>();
            for (Object text : host.getValue() instanceof List<?> list ? list : List.of(host.getValue())) {
                InetAddress address = HostNames.literal(String.valueOf(text));
                if (address == null) {
                    throw new IOException("worker.egress.hosts: " + text + " is no address");
                }
                of.add(address);
            }
            String name = HostNames.normalize(host.getKey());
            if (name == null) {
                throw new IOException("worker.egress.hosts: " + host.getKey() + " is no name of a host");
            }
            addresses.put(name, List.copyOf(of));
        }
        return addresses;
    }

    /** Those that this host asks. */
    private static List<InetSocketAddress> nameServers() throws IOException {
        Path file = Path.of("/etc/resolv.conf");
        List<InetSocketAddress> servers = new ArrayList<>();
        for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
            String[] words = line.strip().split("\\s+", -1);
            boolean named = words.length > 1 && words[0].equals("nameserver");
            InetAddress address = named ? HostNames.literal(words[1]) : null;
            if (address != null) {
                servers.add(new InetSocketAddress(address, DNS_PORT));
            }
        }
        return servers;
    }
}
