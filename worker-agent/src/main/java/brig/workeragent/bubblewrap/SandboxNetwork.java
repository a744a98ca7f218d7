package brig.workeragent.bubblewrap;

import brig.egress.link.WallSocket;
import brig.egress.link.WallSocket.Role;
import brig.egress.policy.EgressPolicy;
import brig.workeragent.sandbox.NetworkPlan;
import brig.workeragent.sandbox.NetworkPlan.Listener;
import brig.workeragent.sandbox.WalledNetwork;
import brig.workeragent.wall.WallNetwork;
import brig.workeragent.wall.Walls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The sockets of a process of {@code brig.workeragent.sandbox}, with their roles. */
final class SandboxNetwork implements WallNetwork {
    private static final String LOOPBACK = "127.0.0.1";
    private static final String EVERY_ADDRESS = "0.0.0.0";

    /** A requested socket. */
    private record Wanted(Role role, int port) {
        Listener listener() {
            String address = role == Role.TRANSPARENT ? EVERY_ADDRESS : LOOPBACK;
            return new Listener(role == Role.DNS_UDP, address, port);
        }
    }

    private final WalledNetwork network;
    private final List<WallSocket> sockets = new ArrayList<>();

    SandboxNetwork(WalledNetwork network, EgressPolicy policy, List<Walls.Server> servers) {
        this.network = network;
        List<Wanted> wanted = wanted(policy, servers);
        // Those of the servers follow.
        for (int i = 0; i < wanted.size(); i++) {
            sockets.add(new WallSocket(
                    wanted.get(i).role(),
                    wanted.get(i).port(),
                    network.listeners().get(i)));
        }
    }

    /** @throws IllegalArgumentException if the policy names more ports than a wall can listen to */
    static NetworkPlan plan(EgressPolicy policy, Path authority, List<Walls.Server> servers) {
        List<Listener> listeners = new ArrayList<>(plan(servers).listeners());
        listeners.addAll(
                0, wanted(policy, servers).stream().map(Wanted::listener).toList());
        return new NetworkPlan(listeners, authority);
    }

    /** That of a wall whose programs reach these servers and nothing else. */
    static NetworkPlan plan(List<Walls.Server> servers) {
        return new NetworkPlan(
                servers.stream()
                        .map(server -> new Listener(false, LOOPBACK, server.port()))
                        .toList(),
                null);
    }

    private static List<Wanted> wanted(EgressPolicy policy, List<Walls.Server> servers) {
        List<Wanted> wanted = new ArrayList<>(List.of(
                new Wanted(Role.PROXY, WallSocket.PROXY_PORT),
                new Wanted(Role.MODEL, WallSocket.MODEL_PORT),
                new Wanted(Role.DNS_UDP, WallSocket.DNS_PORT),
                new Wanted(Role.DNS_TCP, WallSocket.DNS_PORT)));
        // A listener on every address would take these ports from those above.
        Set<Integer> own = wanted.stream().map(Wanted::port).collect(Collectors.toSet());
        servers.forEach(server -> own.add(server.port()));
        policy.ports().stream()
                .filter(port -> !own.contains(port))
                .forEach(port -> wanted.add(new Wanted(Role.TRANSPARENT, port)));
        return wanted;
    }

    @Override
    public List<WallSocket> sockets() {
        return List.copyOf(sockets);
    }

    @Override
    public List<WallSocket> take() {
        network.release();
        return sockets();
    }

    @Override
    public CompletableFuture<WallSocket> listen(int port) {
        return network.listen(port).thenApply(descriptor -> new WallSocket(Role.TRANSPARENT, port, descriptor));
    }

    @Override
    public void close() {
        network.close();
    }
}
