package brig.loadtests.cluster;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.client.WorkerPlace;
import brig.loadtests.peers.Site;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.loadtests.product.JvmOptions;
import brig.loadtests.product.ServeSettings;
import brig.protocol.api.ClusterView;
import brig.protocol.api.SpawnAnswer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Gateways that share a host, or one alone. The generator acts as the worker-agent of that host. */
final class ClusterSite implements AutoCloseable {
    private static final String HOST = "w1";
    private static final String NO_WORKER_AGENT = "-XX:+TheGeneratorIsTheWorkerAgent";
    private static final long WORKERS_MAX = 10_000;
    private static final int OK = 200;

    private final Way way;
    private final Path folder;
    private final List<Brig> gateways = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private @Nullable NatsServers nats;

    private ClusterSite(Way way, Path folder) {
        this.way = way;
        this.folder = folder;
    }

    /** Its gateways wait for {@link #open}. */
    static ClusterSite prepare(Way way, Path natsServer, Path folder) throws IOException {
        ClusterSite site = new ClusterSite(way, folder);
        try {
            site.begin(natsServer);
            return site;
        } catch (IOException | RuntimeException e) {
            site.close();
            throw e;
        }
    }

    private void begin(Path natsServer) throws IOException {
        NatsServers servers = way.servers() == 0 ? null : NatsServers.start(natsServer, folder, way.servers());
        nats = servers;
        Path key = NatsServers.secret(folder, "cluster.key", UUID.randomUUID() + "" + UUID.randomUUID() + "\n");
        Path own = NatsServers.secret(folder, "brig.creds", servers == null ? "" : servers.credentials("brig"));
        Path system = NatsServers.secret(folder, "system.creds", servers == null ? "" : servers.credentials("system"));
        for (int i = 1; i <= way.gateways(); i++) {
            int port = Site.freePort();
            ServeSettings settings = ServeSettings.DEFAULTS.withPort(port).withWorkers(WORKERS_MAX);
            if (servers != null) {
                settings = settings.withCluster(new ServeSettings.Cluster(
                        servers.urls(),
                        name(i),
                        own.toString(),
                        system.toString(),
                        key.toString(),
                        way.servers(),
                        Map.of(HOST, new ServeSettings.SharedHost(sharedSocket().toString()))));
            }
            List<String> workerAgent = servers == null ? List.of(NO_WORKER_AGENT) : List.of();
            gateways.add(Brig.prepare(
                    Brig.newFolder(),
                    new Brig.Launch(
                            Brig.home(),
                            settings,
                            List.of(),
                            new JvmOptions(List.of(JvmOptions.WHOLE_COLLECTIONS), workerAgent))));
            ports.add(port);
        }
        Files.createDirectories(Path.of(gateways.getFirst().linkSocket()).getParent());
    }

    private static String name(int number) {
        return "g" + number;
    }

    private Path sharedSocket() {
        return folder.resolve("w1.sock");
    }

    /** The generator's arguments for publishing and reading. */
    List<String> generatorArguments() {
        String socket = way.servers() == 0
                ? gateways.getFirst().linkSocket()
                : sharedSocket().toString();
        List<String> arguments = new ArrayList<>(List.of(
                "--publish",
                "brig",
                "--worker-agent",
                socket,
                "--subscribe",
                "ws",
                "--connect",
                "127.0.0.1:" + ports.get(way.reader())));
        pids().forEach(pid -> arguments.addAll(List.of("--server-pid", String.valueOf(pid))));
        return arguments;
    }

    /** All processes between the workers and the readers. */
    private List<Long> pids() {
        return Stream.concat(gateways.stream().map(Brig::pid), nats == null ? Stream.of() : nats.pids().stream())
                .toList();
    }

    /** Called when the generator listens: starts gateways and sessions, and describes these to the generator in lines. */
    List<String> open(int streams) throws IOException {
        for (Brig gateway : gateways) {
            gateway.launch();
            if (way.servers() > 0) {
                awaitOwner(place(gateways.indexOf(gateway)));
            }
        }
        HttpWire.Place owner = place(0);
        byte[] request = owner.request(
                "POST",
                "/api/v1/spawns?wait=60s",
                SpawnBody.of("shell")
                        .on(new WorkerPlace(way.servers() == 0 ? null : HOST, null))
                        .text());
        List<String> lines = new ArrayList<>();
        try (HttpWire requests = owner.connect()) {
            for (int i = 0; i < streams; i++) {
                SpawnAnswer spawned = requests.send(request).answer(201).as(SpawnAnswer.class);
                awaitSession(place(way.reader()), spawned.spawnId());
                lines.add(
                        "stream " + i + " " + spawned.spawnId() + " " + spawned.ioSocket() + " " + spawned.authToken());
            }
        }
        return lines;
    }

    private HttpWire.Place place(int gateway) throws IOException {
        return HttpWire.Place.tcp(
                "127.0.0.1", ports.get(gateway), gateways.get(gateway).adminToken());
    }

    /** The first gateway takes the host, since it is alone then, and keeps it. */
    private static void awaitOwner(HttpWire.Place place) throws IOException {
        Patience.await("the first gateway owns the host", () -> {
            try (HttpWire wire = place.connect()) {
                return wire
                        .send(place.request("GET", "/api/v1/cluster", ""))
                        .answer(OK)
                        .as(ClusterView.class)
                        .hosts()
                        .stream()
                        .anyMatch(host -> name(1).equals(host.owner()) && host.up());
            }
        });
    }

    private static void awaitSession(HttpWire.Place place, String spawnId) throws IOException {
        Patience.await("the session runs at the gateway with the readers", () -> {
            try (HttpWire wire = place.connect()) {
                HttpWire.Answer answer = wire.send(place.request("GET", "/api/v1/spawns/" + spawnId, ""))
                        .answer();
                return answer.status() == OK && "running".equals(answer.body().text("state"));
            }
        });
    }

    @Override
    public void close() throws IOException {
        for (Brig gateway : gateways) {
            if (way.servers() == 0) {
                gateway.kill();
            } else {
                gateway.close();
            }
        }
        if (nats != null) {
            nats.close();
        }
    }
}
