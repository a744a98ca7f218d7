package brig.egress.process;

import brig.egress.budget.PurseOwner;
import brig.egress.budget.PurseSpec;
import brig.egress.budget.PurseView;
import brig.egress.budget.Purses;
import brig.egress.budget.Spending;
import brig.egress.budget.WorkerBudget;
import brig.egress.confinement.ConfinedPaths;
import brig.egress.confinement.SelfMeasurement;
import brig.egress.confinement.SystemCallFilter;
import brig.egress.connection.Dialer;
import brig.egress.connection.ProxyLimits;
import brig.egress.dns.HostResolver;
import brig.egress.dns.NameServers;
import brig.egress.link.WallSocket;
import brig.egress.message.EgressCommand;
import brig.egress.message.EgressReport;
import brig.egress.price.Prices;
import brig.egress.proxy.EgressServer;
import brig.egress.proxy.ProxyServices;
import brig.egress.rate.LoopTimers;
import brig.egress.rate.RouteGates;
import brig.egress.tls.CertificateAuthority;
import brig.egress.tls.LeafCertificates;
import brig.egress.tls.UpstreamTls;
import brig.protocol.address.AddressGuard;
import brig.protocol.address.HostNames;
import brig.protocol.json.Json;
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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process brig-egress. The worker-agent starts it confined, writes JSON lines to its standard input, and reads
 * reports from its standard output. Sockets arrive over a Unix socket, in the order in which the lines announce them.
 * The worker-agent sends the contents of host files that it needs: the authority, root certificates, secrets. It ends
 * with its input, so it never outlives the worker-agent.
 *
 * <p>In: {@link EgressCommand}. Out: {@link EgressReport}.
 */
public final class EgressMain {
    private static final Logger LOG = LoggerFactory.getLogger(EgressMain.class);
    private static final int LOOPS = 2;
    private static final int LINE_BYTES_MAX = 4 * 1024 * 1024;
    private static final int EVENTS_MAX = 4096;
    private static final int AUDIT_MAX = 16_384;
    private static final int DNS_PORT = 53;

    /** Tells of purses. */
    private record Steps(EventWriter events) implements Purses.Listener {
        @Override
        public void handleStep(PurseView purse) {
            PurseOwner owner = PurseSpec.ownerOf(purse.name());
            if (owner.kind() == PurseOwner.Kind.SESSION) {
                events.offer(new EgressReport.Event(owner.name(), WorkerBudget.event(purse, owner.name(), null)));
            }
        }

        @Override
        public void handleFull() {
            events.add(new EgressReport.LedgerFull());
        }
    }

    private final EgressServer server;
    private final Purses purses;
    private final DescriptorSource descriptors;
    private final EventWriter events;

    private EgressMain(EgressServer server, Purses purses, DescriptorSource descriptors, EventWriter events) {
        this.server = server;
        this.purses = purses;
        this.descriptors = descriptors;
        this.events = events;
    }

    /** Runs until standard input ends. Exit code 2: it cannot start, and reports why. */
    public static void main(String... arguments) {
        if (System.getProperty("logback.configurationFile") == null) {
            System.setProperty("logback.configurationFile", "brig/workeragent/logback.xml");
        }
        try (InputStream in = new BufferedInputStream(System.in)) {
            run(in);
        } catch (Exception | Error e) {
            // Any failure ends the process: the other threads would keep it alive.
            LOG.error("brig-egress stops because of an error", e);
            System.exit(2);
        }
        System.exit(0);
    }

    private static void run(InputStream in) throws IOException, InterruptedException {
        byte[] first = readLine(in);
        if (first == null) {
            return;
        }
        EgressCommand.Configure config = Json.read(first, EgressCommand.Configure.class);
        Clock clock = Clock.systemUTC();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(LOOPS, EpollIoHandler.newFactory());
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out));
        try (EventWriter events = EventWriter.start(EgressReport.Kind.EVENTS, EVENTS_MAX, out);
                EventWriter audit = EventWriter.start(EgressReport.Kind.AUDIT, AUDIT_MAX, out);
                DescriptorSource descriptors = DescriptorSource.connect(ConfinedPaths.SOCKET, loops)) {
            // At this point all host sockets are open, and nothing from a wall was read.
            SystemCallFilter.install(ConfinedPaths.LIBRARY);
            SelfMeasurement measured = SelfMeasurement.measure(config.closed());
            ProxyLimits limits = ProxyLimits.USUAL;
            HostResolver resolver = new HostResolver(addresses(config.hosts()), threads, limits.resolveMs());
            CertificateAuthority authority =
                    CertificateAuthority.of(new CertificateAuthority.Pems(config.certificate(), config.key()));
            ProxyServices around = new ProxyServices(
                    new Dialer(resolver, new AddressGuard(), new UpstreamTls(config.extraRoots()), limits),
                    new LeafCertificates(authority, threads, clock),
                    entry -> audit.offer(new EgressReport.Audit(entry)),
                    events::offer,
                    new NameServers(nameServers(), threads),
                    threads,
                    limits,
                    CompletableFuture.supplyAsync(() -> prices(config.prices()), threads)::join,
                    new Spending(new Purses(clock::millis, new Steps(events)), config.calls()),
                    new RouteGates(new LoopTimers(loops.next(), clock)),
                    clock);
            try (EgressServer server = new EgressServer(around, loops)) {
                events.offer(new EgressReport.Ready(measured));
                new EgressMain(server, around.spending().purses(), descriptors, events).serve(in);
            }
        }
    }

    private static Prices prices(@Nullable String own) {
        Prices shipped = Prices.shipped();
        return own == null ? shipped : shipped.behind(Prices.read(own.getBytes(StandardCharsets.UTF_8)));
    }

    private void serve(InputStream in) throws IOException, InterruptedException {
        for (byte[] line = readLine(in); line != null; line = readLine(in)) {
            switch (Json.read(line, EgressCommand.class)) {
                case EgressCommand.Register register -> server.register(register, sockets(register.sockets()));
                case EgressCommand.Secrets secrets -> server.changeSecrets(secrets);
                case EgressCommand.Socket socket -> server.add(socket.worker(), socket(socket.socket()));
                case EgressCommand.Policy policy -> server.changePolicy(policy.worker(), policy.policy());
                case EgressCommand.Allow allow -> server.allow(allow.worker(), allow.host(), allow.once());
                case EgressCommand.Deny deny -> server.deny(deny.worker(), deny.host(), deny.rule());
                case EgressCommand.Revoke revoke -> server.revoke(revoke.worker(), revoke.secret());
                case EgressCommand.Spent spent -> spent.spent().forEach(purses::restore);
                case EgressCommand.Ledger ledger -> begin(ledger.number());
                case EgressCommand.Limit limit -> purses.limit(limit.purse(), limit.limit());
                case EgressCommand.Unregister unregister ->
                    server.unregister(
                            unregister.worker(), () -> events.add(new EgressReport.Unregistered(unregister.worker())));
                case EgressCommand.Configure _ -> throw new IOException("the worker-agent sent a second configuration");
            }
        }
    }

    /** Where that fails, the earlier ledger goes on; without one no request that is charged goes out. */
    private void begin(long number) throws IOException, InterruptedException {
        DescriptorFile file = new DescriptorFile(descriptors.take());
        try {
            purses.begin(file);
            events.add(new EgressReport.LedgerBegun(number));
        } catch (IOException e) {
            LOG.error("the ledger {} cannot be written: {}", number, e.toString());
            file.close();
        }
    }

    private static byte @Nullable [] readLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                return line.toByteArray();
            }
            if (line.size() > LINE_BYTES_MAX) {
                throw new IOException("a line of the worker-agent is too long");
            }
            line.write(b);
        }
        return null;
    }

    private List<WallSocket> sockets(List<EgressCommand.SentSocket> sent) throws IOException, InterruptedException {
        List<WallSocket> sockets = new ArrayList<>();
        for (EgressCommand.SentSocket one : sent) {
            sockets.add(socket(one));
        }
        return sockets;
    }

    private WallSocket socket(EgressCommand.SentSocket sent) throws IOException, InterruptedException {
        return new WallSocket(sent.role(), sent.port(), descriptors.take());
    }

    private static Map<String, List<InetAddress>> addresses(Map<String, List<String>> hosts) throws IOException {
        Map<String, List<InetAddress>> addresses = new TreeMap<>();
        for (Map.Entry<String, List<String>> host : hosts.entrySet()) {
            List<InetAddress> of = new ArrayList<>();
            for (String text : host.getValue()) {
                InetAddress address = HostNames.literal(text);
                if (address == null) {
                    throw new IOException("worker.egress.hosts: " + text + " is not an address");
                }
                of.add(address);
            }
            String name = HostNames.normalize(host.getKey());
            if (name == null) {
                throw new IOException("worker.egress.hosts: " + host.getKey() + " is not a host name");
            }
            addresses.put(name, List.copyOf(of));
        }
        return addresses;
    }

    /** The host's name servers. */
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
