package brig.workeragent.relay;

import brig.egress.policy.EgressPolicy;
import brig.egress.policy.EgressPolicy.ModelRoute;
import brig.egress.policy.EgressPolicy.Secret;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.EgressGrant;
import brig.protocol.control.EgressHappened;
import brig.protocol.egress.EgressEvent;
import brig.workeragent.wall.EgressGate;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The networks of this host's workers that are served at home, by spawn id. Thread-safe.
 *
 * <p>Decision 0160.
 */
public final class RelayedNetworks implements AutoCloseable {
    /** Stands for what only home knows. */
    private static final String HOME = "http://home.invalid";

    private final RelayAuthorities authorities;
    private final WaitingLinks links = new WaitingLinks();
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("brig-relay", true), EpollIoHandler.newFactory());
    private final Map<String, Consumer<EgressEvent>> workers = new ConcurrentHashMap<>();

    /** @param folder for certificates of home */
    public RelayedNetworks(Path folder) {
        this.authorities = new RelayAuthorities(folder);
    }

    /** Lets a connection of the gateway wait for one of a wall, and serves it to its end. */
    public void serve(SocketChannel gateway) throws IOException {
        links.serve(gateway);
    }

    /** Serves walls of one worker. */
    public EgressGate gate(EgressGrant grant) {
        return new RelayGate(grant, authorities, links, loop.next());
    }

    /** A granted network, as far as its wall must know it. It allows nothing by itself: home judges. */
    public static EgressPolicy policy(EgressGrant grant) {
        if (!grant.open()) {
            return EgressPolicy.NONE;
        }
        Map<String, ModelRoute> routes = new LinkedHashMap<>();
        grant.routes()
                .forEach((name, version) -> routes.put(
                        name, new ModelRoute(version.isEmpty() ? HOME + "/v1" : HOME, "", "authorization", Map.of())));
        Map<String, Secret> secrets = new LinkedHashMap<>();
        grant.placeholders()
                .keySet()
                .forEach(name -> secrets.put(name, new Secret(List.of(), "", "", List.of(), "", "", false, false)));
        List<Object> hosts = List.copyOf(
                grant.ports().stream().map(port -> "0.0.0.0/0:" + port).toList());
        try {
            return new EgressPolicy(hosts, List.of(), List.of(), secrets, "synthetic", false, routes, 0, List.of());
        } catch (IllegalArgumentException e) {
            throw BrigException.invalid("grant", "has no usable names: " + e.getMessage());
        }
    }

    /**
     * Passes a worker's events on.
     *
     * @param listener must not block
     * @return ends that
     */
    public AutoCloseable open(String spawnId, Consumer<EgressEvent> listener) {
        workers.put(spawnId, listener);
        return () -> workers.remove(spawnId, listener);
    }

    public boolean has(String spawnId) {
        return workers.containsKey(spawnId);
    }

    /** Something happened to a network at home. @throws BrigException {@code NOT_FOUND} */
    public void handle(EgressHappened happened) {
        Consumer<EgressEvent> listener = workers.get(happened.spawnId());
        if (listener == null) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND, "no network of a worker " + happened.spawnId() + " is served at home");
        }
        listener.accept(happened.event());
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
