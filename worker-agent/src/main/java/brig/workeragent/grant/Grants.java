package brig.workeragent.grant;

import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPattern;
import brig.egress.secret.Placeholder;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.EgressDecision;
import brig.protocol.control.EgressGrant;
import brig.protocol.control.EgressHappened;
import brig.protocol.control.EgressStream;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.Json;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.budget.Budgets;
import brig.workeragent.egress.EgressProcess;
import brig.workeragent.egress.GrantedSocket;
import brig.workeragent.profile.AgentProfiles;
import brig.workeragent.profile.Policies;
import brig.workeragent.wall.EgressGate;
import brig.workeragent.wall.EgressVariables;
import brig.workeragent.worker.EgressSessions;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The networks of workers on other hosts that this host serves, by spawn id. Each has a registration with brig-egress,
 * with the policy and the secrets of this host. Thread-safe; a grant blocks until brig-egress serves it.
 *
 * <p>Decision 0160.
 */
public final class Grants {
    /** @param keyFile holds the key of placeholders; made if absent */
    public record Services(
            AgentProfiles profiles, Policies policies, EgressProcess egress, Budgets budgets, Path keyFile) {}

    private static final Logger LOG = LoggerFactory.getLogger(Grants.class);
    private static final int GRANTS_MAX = 4096;
    /** As brig-egress, which closes those beyond. */
    static final int CONNECTIONS_MAX = 256;

    private record Grant(
            EgressGrant answer,
            String agent,
            AutoCloseable session,
            @Nullable Served served,
            AtomicInteger connections) {}

    /** The registration of a network that is open. */
    private record Served(GrantedSocket socket, EgressGate.Handle handle) {}

    private final Services parts;
    private final PlaceholderKey placeholderKey;
    private final GrantEvents events = new GrantEvents();
    private final Map<String, CompletableFuture<Grant>> grants = new ConcurrentHashMap<>();

    public Grants(Services parts) {
        this.parts = parts;
        this.placeholderKey = new PlaceholderKey(parts.keyFile());
    }

    /** What happens to the networks. */
    public GrantEvents events() {
        return events;
    }

    /**
     * Serves a worker's network from now on, or answers as before.
     *
     * @throws BrigException a refusal, as that of a spawn on this host
     */
    public EgressGrant grant(String spawnId, SpawnRequest request) {
        CompletableFuture<Grant> mine = new CompletableFuture<>();
        CompletableFuture<Grant> first = grants.putIfAbsent(spawnId, mine);
        if (first == null) {
            try {
                if (grants.size() > GRANTS_MAX) {
                    throw new BrigException(ErrorCode.MAX_WORKERS, GRANTS_MAX + " networks are served already", 1);
                }
                mine.complete(make(spawnId, request));
            } catch (RuntimeException e) {
                grants.remove(spawnId, mine);
                mine.completeExceptionally(e);
                throw e;
            }
            if (grants.get(spawnId) != mine) {
                end(spawnId, mine.join());
            }
            return mine.join().answer();
        }
        try {
            return first.join().answer();
        } catch (CompletionException e) {
            throw e.getCause() instanceof BrigException refusal ? refusal : e;
        }
    }

    private Grant make(String spawnId, SpawnRequest asked) {
        AgentProfiles.Named agent = parts.profiles().named(asked.agent());
        SpawnRequest request = agent.told(asked);
        Policies.Chosen policy = parts.policies().choose(request.policy(), agent.profile());
        EgressPolicy egress = policy.policy().egress();
        Budget files = agent.profile().budget().within(policy.policy().budget());
        Budget asking = request.bounds().budget();
        var _ = parts.budgets().admit(spawnId, request.parent(), asking == null ? files : asking.within(files));
        if (!egress.isOpen()) {
            EgressGrant none = new EgressGrant(policy.name(), false, "", List.of(), Map.of(), Map.of());
            return new Grant(none, agent.name(), () -> {}, null, new AtomicInteger());
        }
        String authority = authority(parts.egress().authority());
        Map<String, String> placeholders = Placeholder.derived(
                placeholderKey.get(), spawnId, egress.secrets().keySet());
        AutoCloseable session = parts.egress()
                .open(
                        spawnId,
                        egress,
                        EgressSessions.Source.of(() -> parts.policies()
                                        .choose(request.policy(), agent.profile())
                                        .policy()
                                        .egress())
                                .charging(() -> parts.budgets().purses(spawnId, null)),
                        new Told(spawnId));
        GrantedSocket socket = parts.egress().granted();
        EgressGate.Handle handle;
        try {
            handle = parts.egress()
                    .take(new EgressGate.Registration(spawnId, agent.name(), egress, placeholders, socket));
        } catch (RuntimeException e) {
            socket.close();
            close(session);
            throw e;
        }
        EgressGrant answer = new EgressGrant(
                policy.name(), true, authority, List.copyOf(egress.ports()), routes(egress), placeholders);
        LOG.info("the network of a worker on another host is served spawn_id={} policy={}", spawnId, policy.name());
        return new Grant(answer, agent.name(), session, new Served(socket, handle), new AtomicInteger());
    }

    private static String authority(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw Reason.refusal(ErrorCode.SANDBOX_UNAVAILABLE, "the certificate of brig-egress cannot be read", e);
        }
    }

    private static Map<String, String> routes(EgressPolicy egress) {
        Map<String, String> routes = new TreeMap<>();
        egress.modelRoutes().forEach((name, route) -> routes.put(name, EgressVariables.versionIn(route)));
        return routes;
    }

    /** Passes events on to the gateway. */
    private final class Told implements EgressSessions.Listener {
        private final String spawnId;

        Told(String spawnId) {
            this.spawnId = spawnId;
        }

        @Override
        public void handleEvent(EgressEvent event) {
            events.offer(new EgressHappened(spawnId, event));
        }

        @Override
        public void handleDecided(HostPattern hosts, EgressDecision decision, EgressSessions.Person person) {
            // The worker's own host hears of it: brig-egress says that an ask is answered.
        }

        @Override
        public void handleFault(BrigException fault) {
            LOG.warn("{} spawn_id={}", fault.getMessage(), spawnId);
        }
    }

    /** The policy of a worker whose network is served; null if there is none of that id. */
    public @Nullable String policyName(String spawnId) {
        Grant grant = find(spawnId);
        return grant == null ? null : grant.answer().policy();
    }

    private @Nullable Grant find(String spawnId) {
        CompletableFuture<Grant> grant = grants.get(spawnId);
        return grant == null || grant.isCompletedExceptionally() ? null : grant.getNow(null);
    }

    /** A connection to brig-egress, which takes one of its worker's places. */
    public static final class Connection implements AutoCloseable {
        private final SocketChannel channel;
        private final AtomicInteger places;

        Connection(SocketChannel channel, AtomicInteger places) {
            this.channel = channel;
            this.places = places;
        }

        public SocketChannel channel() {
            return channel;
        }

        @Override
        public void close() throws IOException {
            places.decrementAndGet();
            channel.close();
        }
    }

    /**
     * Connects to brig-egress for a connection of such a worker, and says there what it is.
     *
     * @throws BrigException {@code FORBIDDEN} if there is no such network, which the audit then has, {@code
     *     MAX_CONNECTIONS}
     */
    public Connection connect(EgressStream stream) throws IOException {
        Grant grant = find(stream.spawnId());
        Served served = grant == null ? null : grant.served();
        if (grant == null || served == null) {
            throw refuse(stream, "the network of this worker is not served here");
        }
        if (stream.role() == EgressStream.Role.TRANSPARENT
                && !grant.answer().ports().contains(stream.port())) {
            throw refuse(stream, "the wall of this worker does not listen at port " + stream.port());
        }
        if (grant.connections().incrementAndGet() > CONNECTIONS_MAX) {
            grant.connections().decrementAndGet();
            throw new BrigException(
                    ErrorCode.MAX_CONNECTIONS, "the worker has " + CONNECTIONS_MAX + " connections already", 1);
        }
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(served.socket().path()));
            ByteBuffer line = ByteBuffer.wrap(Json.writeLine(stream));
            while (line.hasRemaining()) {
                channel.write(line);
            }
            return new Connection(channel, grant.connections());
        } catch (IOException | RuntimeException e) {
            grant.connections().decrementAndGet();
            channel.close();
            throw e;
        }
    }

    /** Writes a refused connection into the audit. @return the refusal */
    public BrigException refuse(EgressStream stream, String why) {
        LOG.warn("refused a connection of a wall on another host spawn_id={}: {}", stream.spawnId(), why);
        Grant grant = find(stream.spawnId());
        parts.egress().auditRefused(stream, grant == null ? "" : grant.agent(), why);
        return new BrigException(ErrorCode.FORBIDDEN, why);
    }

    /** Ends that. No error if there is none. */
    public void end(String spawnId) {
        CompletableFuture<Grant> grant = grants.remove(spawnId);
        if (grant != null && grant.isDone() && !grant.isCompletedExceptionally()) {
            end(spawnId, grant.join());
        }
    }

    private static void end(String spawnId, Grant grant) {
        LOG.info("the network of a worker on another host ended spawn_id={}", spawnId);
        Served served = grant.served();
        if (served == null) {
            return;
        }
        EgressGate.End end = served.handle().end();
        var _ = end.released().thenRun(served.socket()::close);
        // Its last events still find it.
        var _ = end.told().thenRun(() -> close(grant.session()));
    }

    private static void close(AutoCloseable session) {
        try {
            session.close();
        } catch (Exception e) {
            LOG.error("a session of brig-egress stays open", e);
        }
    }
}
