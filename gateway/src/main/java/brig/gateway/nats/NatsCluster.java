package brig.gateway.nats;

import brig.gateway.cluster.Cluster;
import brig.gateway.cluster.SharedTable;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.KeyValueManagement;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.api.KeyValueConfiguration;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connection of a gateway to NATS, with the streams and buckets that gateways share. */
public final class NatsCluster {
    private static final Logger logger = LoggerFactory.getLogger(NatsCluster.class);
    private static final int NOT_FOUND = 404;
    private static final Duration REQUEST_MAX = Duration.ofSeconds(3);
    /** Servers that answer later count as silent. */
    private static final Duration PING_MAX = Duration.ofMillis(1_500);

    /** Longer than a ticket is good. */
    private static final Duration TICKETS_KEPT = Duration.ofMinutes(2);

    private static final Duration RETRY = Duration.ofMillis(500);
    private static final int TRIES_MAX = 60;

    private final NatsSettings settings;
    private final Connection connection;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Cluster.Shared shared;
    private final SharedTable tokens;
    private final SharedTable tickets;

    /**
     * Connects, checks the servers and makes what is not there yet. Blocks.
     *
     * @param hosts the hosts that gateways share
     * @throws BrigException naming what is in the way, with the mend
     */
    public NatsCluster(NatsSettings settings, Collection<String> hosts, Executor loop) {
        this.settings = settings;
        connection = NatsAccess.connect(settings, settings.credentialsFile(), this::handleEvent);
        try {
            ServerCheck.requireNew(
                    connection.getServerInfo().getServerName(),
                    connection.getServerInfo().getVersion());
            List<ServerCheck.Server> servers = servers();
            servers.forEach(server -> ServerCheck.requireNew(server.name(), server.version()));
            ServerCheck.requireSync(servers, settings.unsafeSync());
            Work work = new Work(threads, loop);
            shared = await(() -> open(hosts, work));
            tokens = await(() -> table("brig-tokens", Duration.ZERO, work));
            tickets = await(() -> table("brig-tickets", TICKETS_KEPT, work));
        } catch (BrigException e) {
            close();
            throw e;
        }
    }

    private interface Making<T> {
        T make() throws IOException, JetStreamApiException;
    }

    /** Servers that have just started know of each other, and elect, only after a while. */
    private <T> T await(Making<T> making) {
        for (int tries = 1; ; tries++) {
            try {
                return making.make();
            } catch (IOException | JetStreamApiException e) {
                if (tries == TRIES_MAX) {
                    throw new BrigException(
                            ErrorCode.INTERNAL,
                            "JetStream does not make what gateways share: " + e.getMessage()
                                    + "; is it enabled for this account, and are there cluster.replicas ("
                                    + settings.replicas()
                                    + ") servers? Servers that began together may not see each other:"
                                    + " restart them one after another");
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrigException(ErrorCode.INTERNAL, "interrupted");
        }
    }

    private void handleEvent(Connection its, ConnectionListener.Events event) {
        logger.info("NATS: {} {}", event, its.getConnectedUrl() == null ? "" : its.getConnectedUrl());
    }

    /** What all servers say of themselves; empty if no credentials for that are there. */
    private List<ServerCheck.Server> servers() {
        List<ServerCheck.Server> servers = new ArrayList<>();
        if (settings.systemCredentialsFile().isEmpty()) {
            return servers;
        }
        Connection system = NatsAccess.connect(settings, settings.systemCredentialsFile(), (its, event) -> {});
        try {
            String inbox = system.createInbox();
            Subscription answers = system.subscribe(inbox);
            system.publish("$SYS.REQ.SERVER.PING.JSZ", inbox, new byte[0]);
            Message answer = answers.nextMessage(PING_MAX);
            while (answer != null) {
                if (answer.getData() != null && answer.getData().length > 0) {
                    servers.add(ServerCheck.Server.read(answer.getData()));
                }
                answer = answers.nextMessage(PING_MAX);
            }
            return servers;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrigException(ErrorCode.INTERNAL, "interrupted");
        } finally {
            close(system);
        }
    }

    private static JetStreamOptions patient() {
        return JetStreamOptions.builder().requestTimeout(REQUEST_MAX).build();
    }

    private Cluster.Shared open(Collection<String> hosts, Work work) throws IOException, JetStreamApiException {
        JetStreamManagement management = connection.jetStreamManagement(patient());
        for (String host : hosts) {
            ensureStream(management, host);
        }
        return new Cluster.Shared(
                table("brig-owners", Duration.ZERO, work),
                table("brig-spawns", Duration.ZERO, work),
                table("brig-requests", Duration.ofDays(1), work),
                new NatsLog(connection, connection.jetStream(patient()), management, work),
                new NatsPost(connection, settings.gateway(), work));
    }

    /** Reads go to the leader: a follower may be behind. */
    private void ensureStream(JetStreamManagement management, String host) throws IOException, JetStreamApiException {
        StreamConfiguration wanted = StreamConfiguration.builder()
                .name(NatsLog.stream(host))
                .subjects(NatsLog.subject(host, "*"))
                .retentionPolicy(RetentionPolicy.Limits)
                .storageType(StorageType.File)
                .replicas(settings.replicas())
                .maxAge(Duration.ofHours(settings.keepHours()))
                .allowDirect(false)
                .build();
        try {
            StreamInfo there = management.getStreamInfo(wanted.getName());
            StreamConfiguration its = there.getConfiguration();
            if (!its.getMaxAge().equals(wanted.getMaxAge()) || its.getReplicas() != wanted.getReplicas()) {
                management.updateStream(wanted);
            }
        } catch (JetStreamApiException e) {
            if (e.getErrorCode() != NOT_FOUND) {
                throw e;
            }
            management.addStream(wanted);
        }
    }

    /** Reads go to the leader: from a follower, what was written a moment ago may not be there. */
    private NatsTable table(String name, Duration ttl, Work work) throws IOException, JetStreamApiException {
        KeyValueManagement buckets = connection.keyValueManagement();
        JetStreamManagement management = connection.jetStreamManagement(patient());
        if (!buckets.getBucketNames().contains(name)) {
            buckets.create(KeyValueConfiguration.builder()
                    .name(name)
                    .ttl(ttl)
                    .storageType(StorageType.File)
                    .replicas(settings.replicas())
                    .build());
        }
        StreamConfiguration its = management.getStreamInfo("KV_" + name).getConfiguration();
        if (its.getAllowDirect()) {
            management.updateStream(
                    StreamConfiguration.builder(its).allowDirect(false).build());
        }
        return new NatsTable(connection, name, management, work);
    }

    public Cluster.Shared shared() {
        return shared;
    }

    public SharedTable tokens() {
        return tokens;
    }

    public SharedTable tickets() {
        return tickets;
    }

    /** Ends the connection. Blocks. */
    public void close() {
        close(connection);
        threads.shutdownNow();
    }

    private static void close(Connection its) {
        try {
            its.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
