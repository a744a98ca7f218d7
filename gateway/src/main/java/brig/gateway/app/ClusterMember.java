package brig.gateway.app;

import brig.gateway.auth.Tickets;
import brig.gateway.auth.Tokens;
import brig.gateway.cluster.Cluster;
import brig.gateway.cluster.Run;
import brig.gateway.cluster.SharedLog;
import brig.gateway.cluster.SharedTickets;
import brig.gateway.cluster.SharedTokens;
import brig.gateway.config.Config;
import brig.gateway.config.Paths;
import brig.gateway.nats.NatsCluster;
import brig.gateway.nats.NatsSettings;
import brig.gateway.oidc.Person;
import brig.gateway.spawn.AskListener;
import brig.gateway.spawn.DerivedSecrets;
import brig.gateway.spawn.Peers;
import brig.gateway.spawn.Placement;
import brig.gateway.spawn.Recorders;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.store.SpawnStore;
import brig.gateway.telemetry.Counters;
import brig.gateway.telemetry.GaugeReadings;
import brig.gateway.time.Timers;
import brig.gateway.worker.ControlLink;
import brig.gateway.worker.LinkedAgent;
import brig.gateway.worker.Reach;
import brig.gateway.worker.WorkerAgents;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.ClusterView;
import brig.protocol.frame.Frame;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * This gateway in a cluster, put together: what gateways share in NATS, and the links to shared hosts. Owned by the event
 * loop, where nothing else is said.
 *
 * <p>Decision 0218.
 */
final class ClusterMember {
    private static final int KEY_LENGTH_MIN = 32;

    private final NatsCluster nats;
    private final Cluster cluster;
    private final DerivedSecrets secrets;
    private final SharedTokens tokens;

    /**
     * Connects to NATS. Blocks; not on the event loop.
     *
     * @param instance of this gateway's folder of state
     * @param ownTokens where this gateway keeps tokens
     */
    ClusterMember(
            Vertx vertx,
            Config all,
            String instance,
            Tokens.Store ownTokens,
            Timers timers,
            Executor loop,
            Counters counters) {
        Config.Cluster config = all.cluster();
        secrets = new DerivedSecrets(keys(Path.of(config.keyFile())));
        nats = new NatsCluster(
                new NatsSettings(
                        config.name(),
                        config.servers(),
                        secret(config.credentialsFile()),
                        secret(config.systemCredentialsFile()),
                        config.caFile(),
                        config.replicas(),
                        config.keepHours(),
                        config.unsafeSync()),
                config.hosts().keySet(),
                loop);
        tokens = new SharedTokens(
                ownTokens, nats.tokens(), new SharedTokens.People(all.oidc().issuer(), Person::isOne), timers);
        Map<String, Cluster.HostSettings> hosts = new HashMap<>();
        config.hosts()
                .forEach((name, host) -> hosts.put(name, new Cluster.HostSettings(host.labels(), host.workersMax())));
        cluster = new Cluster(
                config.name(),
                instance,
                hosts,
                new Cluster.Services(
                        nats.shared().measured(measure(counters)),
                        () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
                        System::currentTimeMillis,
                        timers,
                        (host, epoch, listener) -> link(
                                vertx,
                                Objects.requireNonNull(config.hosts().get(host), "only shared hosts are linked")
                                        .socket(),
                                timers,
                                epoch,
                                listener)));
    }

    private static UnaryOperator<SharedLog> measure(Counters counters) {
        return log -> new SharedLog() {
            @Override
            public CompletionStage<Long> append(String host, Run run, long after) {
                long begunNanos = counters.nanoTime();
                return log.append(host, run, after).thenApply(placed -> {
                    counters.handlePublished(counters.secondsSince(begunNanos));
                    return placed;
                });
            }

            @Override
            public CompletionStage<Optional<Placed>> last(String host, String spawnId) {
                return log.last(host, spawnId);
            }

            @Override
            public Reading follow(String host, long after, Reader reader) {
                return log.follow(host, after, reader);
            }

            @Override
            public void show(String host, Run run) {
                log.show(host, run);
            }

            @Override
            public Reading watch(String host, Consumer<Run> watcher) {
                return log.watch(host, watcher);
            }
        };
    }

    private static LinkedAgent link(
            Vertx vertx, String socket, Timers timers, long epoch, ControlLink.Listener listener) {
        ControlLink link =
                new ControlLink(vertx, socket, timers, uid -> uid == 0 || uid == Paths.ownUid(), new Reach() {
                    @Override
                    public boolean isUp() {
                        return true;
                    }

                    @Override
                    public @Nullable Long epoch() {
                        return epoch;
                    }
                });
        link.open(listener);
        return link;
    }

    /** The lines of a key file, the newest key first. */
    static List<String> keys(Path file) {
        if (!Files.exists(file)) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "there is no file " + file
                            + ", which is cluster.keyFile; make it with 'openssl rand -hex 32', and give"
                            + " all gateways the same");
        }
        List<String> keys = SecretFile.load(file, "key of the cluster")
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
        if (keys.isEmpty() || keys.stream().anyMatch(key -> key.length() < KEY_LENGTH_MIN)) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    file + ", which is cluster.keyFile, must have lines of at least " + KEY_LENGTH_MIN + " characters");
        }
        return keys;
    }

    /** The name of a file that nobody else may read. */
    private static String secret(String file) {
        if (!file.isEmpty() && Files.exists(Path.of(file))) {
            var _ = SecretFile.load(Path.of(file), "NATS credentials");
        }
        return file;
    }

    SpawnStore over(SpawnStore own) {
        return cluster.over(own);
    }

    Tickets.Store tickets() {
        return new SharedTickets(nats.tickets());
    }

    Tokens.Store tokens() {
        return tokens;
    }

    DerivedSecrets secrets() {
        return secrets;
    }

    Recorders recorders() {
        return cluster.recorders();
    }

    Peers peers() {
        return cluster;
    }

    /** The shared hosts besides others. */
    Placement.Directory with(Placement.Directory others) {
        return () -> {
            List<Placement.HostOffer> all = new ArrayList<>(others.hosts());
            all.addAll(cluster.hosts());
            return all;
        };
    }

    /** The same listener, told only of the spawns of which no other gateway tells its own. */
    AskListener owned(AskListener all) {
        return new AskListener() {
            @Override
            public void handleAsk(Spawn spawn, Frame.Ask ask) {
                if (!cluster.isTheirs(spawn.host())) {
                    all.handleAsk(spawn, ask);
                }
            }

            @Override
            public void handleSettled(Spawn spawn, Frame.Answered answered) {
                if (!cluster.isTheirs(spawn.host())) {
                    all.handleSettled(spawn, answered);
                }
            }
        };
    }

    GaugeReadings.ClusterUse use() {
        Map<String, Integer> parts = new TreeMap<>();
        Arrays.stream(ClusterView.Part.values()).forEach(part -> parts.put(Counters.label(part), 0));
        view().hosts().forEach(host -> parts.merge(Counters.label(host.part()), 1, Integer::sum));
        return new GaugeReadings.ClusterUse(parts, isConnected(), cluster.taken(), cluster.lost());
    }

    ClusterView view() {
        return cluster.view();
    }

    /** Whether NATS answers. */
    boolean isConnected() {
        return cluster.isAnswered();
    }

    /** @return completes when all that other gateways told is known */
    CompletionStage<Void> open(Spawner spawner, WorkerAgents workers, Tokens itsTokens) {
        return cluster.open(spawner, workers).thenCompose(known -> tokens.open(itsTokens));
    }

    void begin() {
        cluster.begin();
    }

    /** Leaves the hosts to other gateways. */
    CompletionStage<Void> leave() {
        return cluster.close();
    }

    /** Ends the connection. Blocks; after the event loop. */
    void close() {
        nats.close();
    }
}
