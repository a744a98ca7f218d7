package brig.gateway.app;

import brig.gateway.config.Config;
import brig.gateway.config.Paths;
import brig.gateway.deploy.Payload;
import brig.gateway.deploy.PayloadCache;
import brig.gateway.deploy.SystemProcesses;
import brig.gateway.egress.HomeNetworks;
import brig.gateway.host.HostFile;
import brig.gateway.host.Hosts;
import brig.gateway.joint.SystemSockets;
import brig.gateway.spawn.Placement;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.spawn.Spawns;
import brig.gateway.time.Timers;
import brig.gateway.worker.AgentLinks;
import brig.gateway.worker.ControlLink;
import brig.gateway.worker.WorkerAgent;
import brig.gateway.worker.WorkerAgents;
import brig.protocol.api.HostEgress;
import brig.protocol.api.HostSettings;
import brig.protocol.api.HostState;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hosts of a gateway, put together with its worker-agents and its spawns. Owned by the event loop.
 *
 * <p>Decision 0159.
 */
final class RemoteHosts implements Placement.Directory {
    private static final Logger log = LoggerFactory.getLogger(RemoteHosts.class);

    private final Hosts hosts;
    private final Payload payload;
    private final HomeNetworks networks;
    private final WorkerAgents workers;
    private final Spawns spawns;
    private final Path sockets;
    private final String gatewayId;
    /** By the socket of the host's link. */
    private final Map<Path, HomeNetworks.Far> links = new HashMap<>();

    RemoteHosts(
            Vertx vertx,
            Config config,
            Paths paths,
            WorkerAgents workers,
            HomeNetworks networks,
            Spawns spawns,
            Timers timers,
            Executor disk,
            Executor loop) {
        this.networks = networks;
        this.sockets = paths.hostSockets();
        this.workers = workers;
        this.spawns = spawns;
        HostFile file = new HostFile(paths.hosts(), paths.gatewayId(), disk, loop);
        SystemProcesses processes = new SystemProcesses(loop);
        payload = new PayloadCache(paths.payloadProgram(), paths.payloads(), processes, timers, disk, loop);
        gatewayId = file.gatewayId();
        Map<String, HostSettings> configured = new TreeMap<>();
        config.hosts().forEach((name, host) -> configured.put(name, host.settings()));
        hosts = new Hosts(
                new Hosts.Services(
                        processes,
                        new SystemSockets(loop),
                        payload,
                        timers,
                        System::currentTimeMillis,
                        (socket, reach, listener) -> {
                            ControlLink link = new ControlLink(
                                    vertx, socket.toString(), timers, uid -> uid == Paths.ownUid(), reach);
                            link.open(listener);
                            links.put(socket, new HomeNetworks.Far(link, reach, socket));
                            return new AgentLinks.AgentLink(link, link::drop, link::close);
                        },
                        file,
                        Paths.makePrivate(paths.hostSockets()),
                        gatewayId,
                        host -> (int) spawns.live().stream()
                                .filter(spawn -> host.equals(spawn.host()))
                                .count()),
                configured,
                file.load());
        workers.follow(hosts::wayTo);
    }

    private boolean servedAtHome(String host) {
        return hosts.settingsOf(host).egress() == HostEgress.HOME;
    }

    private Path socket(String host) {
        return sockets.resolve(host + ".sock");
    }

    private HomeNetworks.Far far(String host) {
        return Objects.requireNonNull(links.get(socket(host)), "a host that is known has a link");
    }

    /** The number of hosts in each state. */
    Map<String, Integer> states() {
        Map<String, Integer> states = new TreeMap<>();
        Arrays.stream(HostState.values()).forEach(state -> states.put(label(state), 0));
        hosts.list().forEach(host -> states.merge(label(host.state()), 1, Integer::sum));
        return states;
    }

    private static String label(HostState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    /** What is brought to other machines. */
    Payload payload() {
        return payload;
    }

    /** By which worker-agents on other machines know this gateway. */
    String gatewayId() {
        return gatewayId;
    }

    Hosts registry() {
        return hosts;
    }

    @Override
    public List<Placement.HostOffer> hosts() {
        return hosts.names().stream()
                .map(name -> new Placement.HostOffer(
                        name,
                        new HashSet<>(hosts.settingsOf(name).labels()),
                        hosts.settingsOf(name).workersMax(),
                        hosts.isUp(name),
                        hosts.lackOf(name)))
                .toList();
    }

    /** Connects to all hosts. Until a link is up, what an earlier gateway ran there is out of reach. */
    void open(Spawner spawner) {
        spawns.live().stream()
                .map(Spawn::host)
                .filter(host -> host != null && !workers.has(host))
                .distinct()
                .toList()
                .forEach(spawner::handleDown);
        hosts.open(new Hosts.Listener() {
            @Override
            public void handleKnown(String host, WorkerAgent agent) {
                workers.add(host, networks.serve(host, far(host), servedAtHome(host)));
            }

            @Override
            public void handleForgotten(String host) {
                workers.remove(host);
                networks.forget(host);
                links.remove(socket(host));
            }

            @Override
            public void handleUp(String host, String instance) {
                log.info("worker-agent on host {} is up instance={}", host, instance);
                spawner.reconcile(host).whenComplete((reconciled, failure) -> {
                    if (failure != null) {
                        log.error("cannot adopt the workers on host {}: {}", host, failure.getMessage());
                    }
                });
            }

            @Override
            public void handleDown(String host) {
                spawner.handleDown(host);
            }
        });
    }
}
