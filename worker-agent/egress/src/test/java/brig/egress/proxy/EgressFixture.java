package brig.egress.proxy;

import brig.egress.audit.AuditLog;
import brig.egress.budget.CallBounds;
import brig.egress.budget.PurseSpec;
import brig.egress.budget.PurseView;
import brig.egress.budget.Purses;
import brig.egress.budget.Spending;
import brig.egress.connection.Dialer;
import brig.egress.connection.ProxyLimits;
import brig.egress.dns.NameServers;
import brig.egress.dns.NameSource;
import brig.egress.link.WallSocket;
import brig.egress.link.WallSocket.Role;
import brig.egress.message.EgressCommand;
import brig.egress.message.EgressReport;
import brig.egress.policy.EgressPolicy;
import brig.egress.price.Prices;
import brig.egress.rate.LoopTimers;
import brig.egress.rate.RouteGates;
import brig.egress.secret.Placeholder;
import brig.egress.secret.SecretFeed;
import brig.egress.secret.SecretSources;
import brig.egress.tls.CertificateAuthority;
import brig.egress.tls.LeafCertificates;
import brig.egress.tls.TestServers;
import brig.egress.tls.UpstreamTls;
import brig.protocol.address.AddressGuard;
import brig.protocol.address.HostNames;
import brig.protocol.egress.AuditEvent;
import brig.protocol.egress.AuditLine;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/** The proxy in this process, between sockets on loopback and the test's servers. */
final class EgressFixture implements AutoCloseable {
    private static final Prices PRICES = Prices.shipped();

    /** A worker's sockets by role. */
    record Worker(String id, Map<Role, Integer> ports, Map<String, String> placeholders) {
        int proxy() {
            return ports.get(Role.PROXY);
        }
    }

    static final String WORKER = "w1";

    final Path folder;
    final TestServers servers;
    final CertificateAuthority authority;
    final EgressServer server;
    final Map<String, List<InetAddress>> names = new ConcurrentHashMap<>();
    final List<String> resolved = java.util.Collections.synchronizedList(new ArrayList<>());
    final LinkedBlockingQueue<EgressEvent> events = new LinkedBlockingQueue<>();
    final Map<String, String> environment = new ConcurrentHashMap<>();
    /** The tokens of logins, by their files. */
    final Map<String, String> tokens = new ConcurrentHashMap<>();
    /** Requests that wait for a login; the fixture asks about it until the test settles that. */
    final LinkedBlockingQueue<EgressReport.LoginRefused> refusals = new LinkedBlockingQueue<>();

    private final AtomicInteger heard = new AtomicInteger();
    private final AtomicInteger settled = new AtomicInteger();
    private final Map<String, Runnable> changes = new ConcurrentHashMap<>();
    private final AuditLog audit;
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    /** Plays the worker-agent: calls the server, and reads the secrets periodically. */
    private final Map<String, ScheduledFuture<?>> feeds = new ConcurrentHashMap<>();

    private final ScheduledExecutorService link = Executors.newSingleThreadScheduledExecutor();

    boolean asksForLogins = true;
    /** What requests of later workers are charged to. */
    List<PurseSpec> charged = List.of();

    final BlockingQueue<PurseView> steps = new LinkedBlockingQueue<>();
    final Purses purses = new Purses(System::currentTimeMillis, new Purses.Listener() {
        @Override
        public void handleStep(PurseView purse) {
            steps.add(purse);
        }

        @Override
        public void handleFull() {
            // No test writes so much.
        }
    });

    private boolean auditClosed;

    EgressFixture(Path folder, Map<String, String> environment, ProxyLimits limits) throws IOException {
        this.folder = folder;
        this.environment.putAll(environment);
        this.servers = new TestServers(folder.resolve("outside"));
        Files.createDirectories(folder.resolve("state"));
        this.authority = CertificateAuthority.open(folder.resolve("state"), Instant.now());
        this.audit =
                AuditLog.open(folder.resolve("state/audit"), new AuditLog.Bounds(1 << 20, 3, 0), Clock.systemUTC());
        NameSource source = host -> {
            resolved.add(host);
            InetAddress literal = HostNames.literal(host);
            List<InetAddress> known = literal != null ? List.of(literal) : names.get(host);
            return known != null
                    ? CompletableFuture.completedFuture(known)
                    : CompletableFuture.failedFuture(new UnknownHostException(host));
        };
        ProxyServices around = new ProxyServices(
                new Dialer(
                        source, new AddressGuard(), new UpstreamTls(List.of(Files.readString(servers.root()))), limits),
                new LeafCertificates(authority, threads, Clock.systemUTC()),
                audit::append,
                this::handleReport,
                new NameServers(List.of(), threads),
                threads,
                limits,
                () -> PRICES,
                new Spending(purses, CallBounds.USUAL),
                new RouteGates(new LoopTimers(loops.next(), Clock.systemUTC())),
                Clock.systemUTC());
        this.server = new EgressServer(around, loops);
    }

    EgressFixture(Path folder) throws IOException {
        this(folder, Map.of(), ProxyLimits.USUAL);
    }

    /** Resolves these names to loopback. */
    void name(String... hosts) {
        for (String host : hosts) {
            names.put(host, List.of(InetAddress.getLoopbackAddress()));
        }
    }

    TestServer plain(TestServer.Handler handler) throws IOException {
        return new TestServer(null, handler);
    }

    TestServer tls(String host, TestServer.Handler handler) throws Exception {
        return new TestServer(servers.server(host), handler);
    }

    /** The trust store of a wall. */
    SSLContext trust() throws Exception {
        return TestServers.client(authority.file());
    }

    /** Parses a policy; replaces {@code PORT} by the port and single quotes by double ones. */
    static EgressPolicy policy(String json, int port) {
        return EgressPolicy.read(
                JsonObject.readCommented(json.replace('\'', '"').replace("PORT", String.valueOf(port))));
    }

    Worker worker(EgressPolicy policy, Role... roles) throws IOException {
        return worker(WORKER, policy, roles);
    }

    Worker worker(String id, EgressPolicy policy, Role... roles) throws IOException {
        Map<String, String> placeholders = Placeholder.forEach(policy.secrets().keySet());
        Map<Role, Integer> ports = new HashMap<>();
        List<WallSocket> sockets = new ArrayList<>();
        for (Role role : roles.length == 0 ? new Role[] {Role.PROXY} : roles) {
            WallSocket socket = listen(role, "127.0.0.1", 0);
            ports.put(role, socket.port());
            sockets.add(socket);
        }
        SecretFeed feed =
                new SecretFeed(new SecretSources(environment, login -> tokens.getOrDefault(login.toString(), "")));
        onLink(() -> server.register(
                        new EgressCommand.Register(
                                id,
                                "spn_test",
                                "tester",
                                policy,
                                placeholders,
                                List.of(),
                                List.of(),
                                List.of(),
                                asksForLogins,
                                charged,
                                List.of()),
                        sockets))
                .join();
        Runnable change =
                () -> server.changeSecrets(new EgressCommand.Secrets(id, feed.read(policy), asked(), heard.get()));
        changes.put(id, change);
        onLink(change).join();
        ScheduledFuture<?> before = feeds.put(id, link.scheduleWithFixedDelay(change, 50, 50, TimeUnit.MILLISECONDS));
        if (before != null) {
            // It would bring the values that it knows to the worker that has the name now.
            before.cancel(false);
            onLink(change).join();
        }
        return new Worker(id, ports, placeholders);
    }

    private void handleReport(EgressReport report) {
        switch (report) {
            case EgressReport.Event event -> events.add(event.event());
            case EgressReport.LoginRefused refused -> {
                heard.incrementAndGet();
                refusals.add(refused);
            }
            default -> throw new AssertionError(report);
        }
    }

    private List<String> asked() {
        return heard.get() > settled.get() ? List.of("LOGIN") : List.of();
    }

    /** Sends the values of all workers' secrets. */
    void tick() {
        changes.values().forEach(change -> onLink(change).join());
    }

    /** Nobody is asked about a login any more. */
    void settle() {
        settled.set(heard.get());
        tick();
    }

    private CompletableFuture<Void> onLink(Runnable task) {
        return CompletableFuture.runAsync(task, link);
    }

    static WallSocket listen(Role role, String address, int port) throws IOException {
        Socket socket = role == Role.DNS_UDP ? Socket.newSocketDgram() : Socket.newSocketStream();
        socket.bind(new InetSocketAddress(address, port));
        if (role != Role.DNS_UDP) {
            socket.listen(128);
        }
        return new WallSocket(role, socket.localAddress().getPort(), socket.intValue());
    }

    TestClient client(Worker worker) throws IOException {
        return new TestClient(worker.proxy());
    }

    /** The next event of that kind. */
    <E extends EgressEvent> E event(Class<E> kind) throws InterruptedException {
        while (true) {
            EgressEvent event = events.poll(10, TimeUnit.SECONDS);
            if (event == null) {
                throw new AssertionError("no such event");
            }
            if (kind.isInstance(event)) {
                return kind.cast(event);
            }
        }
    }

    /** The whole audit; nothing is written to it afterwards. */
    List<AuditLine> audit() throws IOException {
        if (!auditClosed) {
            auditClosed = true;
            audit.close();
        }
        List<AuditLine> entries = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("state/audit/egress.jsonl"))) {
            entries.add(Json.read(line.getBytes(StandardCharsets.UTF_8), AuditLine.class));
        }
        return entries;
    }

    /** The result in the first audit line of a request. */
    AuditEvent.Result firstResult() throws IOException {
        return ((AuditEvent.Decided) Objects.requireNonNull(audit().getFirst().event())).result();
    }

    @Override
    public void close() throws IOException {
        link.shutdownNow();
        server.close();
        audit();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        threads.shutdownNow();
    }
}
